/** A table of GitHub's Markdown. */
export interface MarkdownTable {
  readonly head: readonly string[];
  /** The alignment of each column. */
  readonly align: readonly ('left' | 'right')[];
  readonly rows: readonly (readonly string[])[];
}

export function markdownTable({ head, align, rows }: MarkdownTable): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(' | ')} |`;
  const rule = `| ${align.map((side) => (side === 'left' ? '---' : '---:')).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

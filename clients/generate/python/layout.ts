/** The width of a line, which is also in `pyproject.toml`. */
export const width = 120;

/** An expression or a signature: text, or items in brackets, such as the arguments of a call. */
export type Expression =
  string | { readonly open: string; readonly items: readonly Expression[]; readonly close: string };

/** A call of a function, with its arguments. */
export function call(name: string, ...items: readonly Expression[]): Expression {
  return { open: `${name}(`, items, close: ')' };
}

/**
 * The lines of an expression, as ruff formats it: in one line if it fits, and otherwise with one item per line.
 * @param depth the number of spaces before it
 */
export function layout(expression: Expression, depth: number): readonly string[] {
  const line = `${' '.repeat(depth)}${inline(expression)}`;
  if (typeof expression === 'string' || line.length <= width) {
    return [line];
  }
  const { open, items, close } = expression;
  return [
    `${' '.repeat(depth)}${open}`,
    ...items.flatMap((item) => {
      const lines = layout(item, depth + 4);
      return [...lines.slice(0, -1), `${lines.at(-1) ?? ''},`];
    }),
    `${' '.repeat(depth)}${close}`,
  ];
}

function inline(expression: Expression): string {
  return typeof expression === 'string'
    ? expression
    : `${expression.open}${expression.items.map(inline).join(', ')}${expression.close}`;
}

const heading = '// Written by `npm run clients` from the OpenAPI document. Changes here are lost.\n';

/** A generated file. */
export function fileText(parts: readonly string[]): string {
  return [heading, ...parts.filter((part) => part !== '')].join('\n');
}

const width = 110;

/** A doc comment with its line break, or an empty text without a description. */
export function docComment(description: string, indent = ''): string {
  const text = description.trim().replaceAll('*/', '*\\/');
  if (text === '') {
    return '';
  }
  const single = `${indent}/** ${text} */\n`;
  if (!text.includes('\n') && single.length <= width + 1) {
    return single;
  }
  const lines = text.split('\n').flatMap((line) => wrapped(line, width - indent.length - 3));
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */\n`].join(
    '\n',
  );
}

function wrapped(line: string, length: number): readonly string[] {
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + word.length >= length) {
      lines.push(word);
    } else {
      lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
    }
  }
  return lines;
}

/** The import of those names that a code uses, or an empty text. */
export function importOf(
  {
    names,
    from,
    isType = true,
  }: { readonly names: readonly string[]; readonly from: string; readonly isType?: boolean },
  code: string,
): string {
  const withoutComments = code.replaceAll(/\/\*\*.*?\*\//gs, '');
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(withoutComments)).sort();
  if (used.length === 0) {
    return '';
  }
  const keyword = `import ${isType ? 'type ' : ''}`;
  const line = `${keyword}{ ${used.join(', ')} } from '${from}';\n`;
  return line.length <= width + 1
    ? line
    : `${keyword}{\n${used.map((name) => `  ${name},\n`).join('')}} from '${from}';\n`;
}

export function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

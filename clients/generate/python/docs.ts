import { width } from './layout.js';
import { snakeCase } from './names.js';

/**
 * Lines of text for a docstring: with the Python names of fields, and wrapped.
 * @param indentation the spaces before each line, and `hanging` those before each line but the first
 */
export function docLines(text: string, indentation: number, hanging = 0): readonly string[] {
  return text
    .trim()
    .split(/\n{2,}/)
    .flatMap((paragraph, index) => [
      ...(index === 0 ? [] : ['']),
      ...wrapped(pythonNames(paragraph), indentation, hanging),
    ]);
}

/** A docstring of one or several lines. */
export function docstring(lines: readonly string[], indentation: number): readonly string[] {
  const indent = ' '.repeat(indentation);
  const [first = '', ...others] = lines.map((line) => line.replaceAll('\\', '\\\\'));
  if (others.length === 0) {
    const fits = indentation + first.trim().length + 6 <= width;
    return fits ? [`${indent}"""${first.trim()}"""`] : [`${indent}"""${first.trim()}`, `${indent}"""`];
  }
  return [`${indent}"""${first.trim()}`, ...others, `${indent}"""`];
}

function wrapped(paragraph: string, indentation: number, hanging: number): readonly string[] {
  const lines: string[] = [];
  let line = ' '.repeat(indentation);
  for (const word of paragraph.split(/\s+/)) {
    if (line.trim() !== '' && line.length + word.length + 1 > width) {
      lines.push(line);
      line = ' '.repeat(indentation + hanging);
    }
    line += line.trim() === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}

/** Replaces the names of fields in code spans. */
function pythonNames(text: string): string {
  return text.replaceAll(/`([a-z]+(?:[A-Z][a-z0-9]*)+)`/g, (_, name: string) => `\`${snakeCase(name)}\``);
}

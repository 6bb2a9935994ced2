import type { Passage, Span } from '../passage.js';
import { linesOf, markedPassages } from './marked.js';

/** Comments that tools read. */
const directive = /^(?:\s*(?:@ts-|eslint|prettier-|c8 |v8 |istanbul|@jsx|global )|\/\s*<|!|#)/u;
/** A line that draws: a diagram, a rule, or a statement that is shown. */
const drawing = /[─│┌┐└┘├┤►◄▲▼]|^[\s=*-]+$/u;

/** A comment with its delimiters. */
interface Comment extends Span {
  readonly isBlock: boolean;
}

/** The passages of all comments in a program. Nothing within `literals` is a comment; they are in the order of the source. */
export function commentPassages(source: string, literals: readonly Span[]): Passage[] {
  return passagesOf(source, commentsIn(source, literals));
}

/** The passages of all comments in a style sheet. */
export function stylesheetPassages(source: string): Passage[] {
  const comments = Array.from(source.matchAll(/\/\*[^]*?\*\//gu), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
    isBlock: true,
  }));
  return passagesOf(source, comments);
}

function passagesOf(source: string, comments: readonly Comment[]): Passage[] {
  const read = comments.filter(({ start, end }) => !directive.test(source.slice(start + 2, end)));
  return joinLineComments(source, read).flatMap((lines) =>
    markedPassages(
      source,
      lines.filter(({ start, end }) => !drawing.test(source.slice(start, end).trim())),
      'comment',
    ),
  );
}

function commentsIn(source: string, literals: readonly Span[]): Comment[] {
  const comments: Comment[] = [];
  let position = 0;
  for (const literal of [...literals, { start: source.length, end: source.length }]) {
    while (position < literal.start) {
      const comment = nextComment(source, position, literal.start);
      if (comment === null) {
        break;
      }
      comments.push(comment);
      position = comment.end;
    }
    position = Math.max(position, literal.end);
  }
  return comments;
}

function nextComment(source: string, from: number, to: number): Comment | null {
  const found = /\/[/*]/u.exec(source.slice(from, to));
  if (found === null) {
    return null;
  }
  const start = from + found.index;
  const isBlock = found[0] === '/*';
  const closing = source.indexOf(isBlock ? '*/' : '\n', start + 2);
  const end = closing === -1 ? source.length : closing + (isBlock ? 2 : 0);
  return { start, end, isBlock };
}

/** The lines of each comment, without its delimiters. Line comments one below the other are one text. */
function joinLineComments(source: string, comments: readonly Comment[]): Span[][] {
  const texts: Span[][] = [];
  let previous: Comment | null = null;
  for (const comment of comments) {
    const line = { start: comment.start + 2, end: comment.end };
    if (comment.isBlock) {
      texts.push(blockLines(source, comment));
    } else if (previous !== null && /^\n[ \t]*$/u.test(source.slice(previous.end, comment.start))) {
      texts.at(-1)?.push(line);
    } else {
      texts.push([line]);
    }
    previous = comment.isBlock ? null : comment;
  }
  return texts;
}

function blockLines(source: string, { start, end }: Span): Span[] {
  return linesOf(source, { start: start + 2, end: end - 2 }).map((line) => {
    const prefix = /^[ \t]*\*?[ ]?/u.exec(source.slice(line.start, line.end))?.[0] ?? '';
    return { start: line.start + prefix.length, end: line.end };
  });
}

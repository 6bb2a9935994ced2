import ts from 'typescript';

import { placeholder, type Passage, type PassageKind, type Span } from '../passage.js';
import { linesOf, markedPassage } from './marked.js';

/** The value of a string expression as far as it is written in the source. Placeholders stand for the rest. */
export interface WrittenString {
  readonly text: string;
  /** The place in the source of each character of the text. */
  readonly offsets: readonly number[];
}

/** A string literal, a template, or strings that are joined with `+`. */
export function isStringExpression(node: ts.Node): node is ts.Expression {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || isJoin(node);
}

function isJoin(node: ts.Node): node is ts.BinaryExpression {
  return (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.PlusToken &&
    (isStringExpression(node.left) || isStringExpression(node.right))
  );
}

/** The pieces of a string expression: literals and parts of templates, and the expressions between them. */
export function piecesOf(node: ts.Expression): ts.Node[] {
  if (ts.isTemplateExpression(node)) {
    return [node.head, ...node.templateSpans.flatMap(({ expression, literal }) => [expression, literal])];
  }
  return isJoin(node) ? [...piecesOf(node.left), ...piecesOf(node.right)] : [node];
}

export function isLiteralPiece(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
}

export function writtenString(file: ts.SourceFile, node: ts.Expression): WrittenString {
  const offsets: number[] = [];
  let text = '';
  for (const piece of piecesOf(node)) {
    const start = piece.getStart(file);
    if (isLiteralPiece(piece)) {
      const written = unescaped(file.text, contentOf(file, piece));
      text += written.text;
      offsets.push(...written.offsets);
    } else {
      text += placeholder;
      offsets.push(...Array.from(placeholder, () => start));
    }
  }
  return { text, offsets };
}

/** A literal without its quotes, or a part of a template without its `${` and `}`. */
function contentOf(file: ts.SourceFile, piece: ts.Node): Span {
  const opensExpression = ts.isTemplateHead(piece) || ts.isTemplateMiddle(piece);
  return { start: piece.getStart(file) + 1, end: piece.getEnd() - (opensExpression ? 2 : 1) };
}

const controlCharacters: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: ' ' };

function unescaped(source: string, { start, end }: Span): WrittenString {
  const offsets: number[] = [];
  let text = '';
  for (let offset = start; offset < end; offset += 1) {
    offsets.push(offset);
    const character = source.charAt(offset);
    if (character === '\\') {
      offset += 1;
      text += controlCharacters[source.charAt(offset)] ?? source.charAt(offset);
    } else {
      text += character;
    }
  }
  return { text, offsets };
}

/** The start of a row of a list of terms, as in the help of a command: the term, and two spaces or more. */
const termOfRow = /^\s*\S+(?:[ ]\S+)*[ ]{2,}(?=\S)/u;
const bullet = /^\s*(?:[-*•]|\d+[.)])\s+/u;
/** Code that a string contains: a program, a query, a command with options, a header with parameters or a policy. */
const code =
  /[{}]|=>|;\s*$|\(\)|<\/|\$\(|^\s*(?:[$#@<]|--?\w|\w+=)|[─│┌└►◄▲▼]|; (?:do|done|echo|exit|sleep|wait)\b|; [\w-]+=|\b[\w-]+-src '/u;

/** The paragraphs of a string. */
export function passagesOfString({ text, offsets }: WrittenString, kind: PassageKind): Passage[] {
  return paragraphsOf(text)
    .filter((lines) => lines.every(({ start, end }) => !isCode(text.slice(start, end))))
    .map((lines) => markedPassage(text, lines, kind))
    .filter((passage) => passage !== null)
    .map((passage) => ({ ...passage, offsets: passage.offsets.map((index) => offsets[index] ?? 0) }));
}

/** A field of a server-sent event. */
const eventField = /^(?:data|event|id|retry): /u;

function isCode(line: string): boolean {
  return code.test(line) || eventField.test(line);
}

/** The lines of one paragraph begin at the same column. A line with a term or a bullet begins a paragraph. */
function paragraphsOf(text: string): Span[][] {
  const paragraphs: Span[][] = [];
  let paragraph: Span[] = [];
  let column: number | null = null;
  for (const { start, end } of linesOf(text, { start: 0, end: text.length })) {
    const line = text.slice(start, end);
    const mark = (termOfRow.exec(line) ?? bullet.exec(line))?.[0].length;
    const begin = mark ?? line.length - line.trimStart().length;
    if (mark !== undefined || column !== begin) {
      paragraph = [];
      paragraphs.push(paragraph);
    }
    paragraph.push({ start: start + begin, end });
    column = line.trim() === '' ? null : begin;
  }
  return paragraphs;
}

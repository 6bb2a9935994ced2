import ts from 'typescript';

import type { Passage, PassageKind, Span } from '../passage.js';
import { commentPassages } from './comments.js';
import { elementPassages } from './elements.js';
import { isLiteralPiece, isStringExpression, passagesOfString, piecesOf, writtenString } from './strings.js';

/** The passages of a TypeScript or JavaScript program: comments, strings that people read, and the texts of elements. */
export function programPassages(path: string, source: string): Passage[] {
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, kind);
  const passages: Passage[] = [];
  const literals: Span[] = [];

  const visit = (node: ts.Node): void => {
    if (isStringExpression(node)) {
      passages.push(...stringPassages(file, node));
      piecesOf(node).forEach(visitPiece);
      return;
    }
    if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
      passages.push(...elementPassages(file, node));
    }
    if (ts.isRegularExpressionLiteral(node) || ts.isJsxText(node)) {
      literals.push({ start: node.getStart(file), end: node.end });
    }
    ts.forEachChild(node, visit);
  };
  const visitPiece = (piece: ts.Node): void => {
    if (isLiteralPiece(piece)) {
      literals.push({ start: piece.getStart(file), end: piece.end });
    } else {
      visit(piece);
    }
  };

  visit(file);
  return [...passages, ...commentPassages(source, literals)];
}

function stringPassages(file: ts.SourceFile, node: ts.Expression): Passage[] {
  const kind = kindOf(file, node);
  return kind === null
    ? []
    : passagesOfString(writtenString(file, node), kind).filter(
        ({ text }) => kind === 'ui' || isPhrase.test(text),
      );
}

/** Two words. */
const isPhrase = /\p{L}['’]?[,;:]? \p{L}/u;
const titleFunctions = /^(?:describe|context|it|specify)(?:\.\w+)?$/u;
/** Attributes of elements that are shown or read aloud. */
const shownAttributes =
  /^(?:alt|aria-(?:description|label|roledescription)|deed|error|explanation|heading|hint|label|placeholder|text|title)$/u;

/** What a string is; null if it is not read as prose. */
function kindOf(file: ts.SourceFile, node: ts.Expression): PassageKind | null {
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent)) {
    return null;
  }
  if (ts.isJsxAttribute(parent) || ts.isJsxExpression(parent)) {
    return kindInElement(file, ts.isJsxExpression(parent) ? parent.parent : parent);
  }
  return isTitle(file, node) ? 'title' : 'message';
}

/** Of a string in an attribute or in the text of an element: it is then a part of that text. */
function kindInElement(file: ts.SourceFile, holder: ts.Node): PassageKind | null {
  return ts.isJsxAttribute(holder) && shownAttributes.test(holder.name.getText(file)) ? 'ui' : null;
}

function isTitle(file: ts.SourceFile, node: ts.Node): boolean {
  const { parent } = node;
  return (
    ts.isCallExpression(parent) &&
    parent.arguments[0] === node &&
    titleFunctions.test(parent.expression.getText(file))
  );
}

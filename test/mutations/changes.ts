import ts from 'typescript';

import { innermost, isNamed, nodesIn, only } from './syntax.js';

/** Replaces the text from `start` up to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * A way to break a declaration. Throws unless the declaration has exactly one place for it. `nth` chooses among several places, from 1.
 */
export type Change = (declaration: ts.Node) => Edit;

/** Removes the statement that calls `callee`, such as `log.append`. */
export function removeCall(callee: string, nth?: number): Change {
  return (declaration) => {
    const call = callOf(declaration, callee, nth);
    return replace(ts.findAncestor(call, ts.isExpressionStatement) ?? call, 'undefined;');
  };
}

/** Replaces the call of `callee`, and the wait for it, by an expression. */
export function replaceCall(callee: string, text: string, nth?: number): Change {
  return (declaration) => {
    const call = callOf(declaration, callee, nth);
    return replace(ts.isAwaitExpression(call.parent) ? call.parent : call, text);
  };
}

/** Starts the call of `callee` without waiting for it. */
export function removeAwait(callee: string, nth?: number): Change {
  return (declaration) => {
    const call = callOf(declaration, callee, nth);
    const wait = only([call.parent].filter(ts.isAwaitExpression), `wait for ${callee}`);
    return replace(wait, `void ${call.getText()}`);
  };
}

/** Replaces an argument of the call of `callee`. */
export function replaceArgument(callee: string, index: number, text: string, nth?: number): Change {
  return (declaration) => {
    const chosen = callOf(declaration, callee, nth).arguments.slice(index, index + 1);
    return replace(only(chosen, `argument ${index} of ${callee}`), text);
  };
}

/** Replaces the value of a constant or a property. */
export function replaceValue(text: string): Change {
  return (declaration) => replace(valueOf(declaration), text);
}

/** Makes a function return an expression, and do nothing else. */
export function replaceReturn(text: string): Change {
  return (declaration) => {
    const value = hasBody(declaration) ? declaration : valueOf(declaration);
    const { body } = only([value].filter(hasBody), 'function body');
    return replace(body, ts.isArrowFunction(value) ? text : `{ return ${text}; }`);
  };
}

/** Replaces the condition, or the operand of one, that contains `name`. */
export function replaceCondition(name: string, text: string, nth?: number): Change {
  return (declaration) => replace(innermost(declaration, isCondition, name, nth), text);
}

/** Negates the condition, or the operand of one, that contains `name`. */
export function invertCondition(name: string, nth?: number): Change {
  return (declaration) => {
    const condition = innermost(declaration, isCondition, name, nth);
    return replace(condition, `!(${condition.getText()})`);
  };
}

/** Removes the operand of `&&` or `||`, the element of a list, the property or the attribute that contains `name`. */
export function drop(name: string, nth?: number): Change {
  return (declaration) => {
    const part = innermost(declaration, isPart, name, nth);
    if (ts.isBinaryExpression(part.parent)) {
      const { left, right } = part.parent;
      return replace(part.parent, (part === left ? right : left).getText());
    }
    const comma = /^\s*,/.exec(part.getSourceFile().text.slice(part.end))?.[0] ?? '';
    return { start: part.getStart(), end: part.end + comma.length, text: '' };
  };
}

/** Replaces the one operator of this kind. */
export function replaceOperator(operator: string, other: string, nth?: number): Change {
  return (declaration) => {
    const tokens = nodesIn(declaration, ts.isBinaryExpression).map(({ operatorToken }) => operatorToken);
    const found = tokens.filter((token) => token.getText() === operator);
    return replace(only(found, `operator ${operator}`, nth), other);
  };
}

/** Replaces the one use of a name or of a literal. */
export function replaceName(name: string, text: string, nth?: number): Change {
  return (declaration) => {
    const isIt = (node: ts.Node): node is ts.Node => isNamed(node, name);
    return replace(only(nodesIn(declaration, isIt), `use of ${name}`, nth), text);
  };
}

function replace(node: ts.Node, text: string): Edit {
  return { start: node.getStart(), end: node.getEnd(), text };
}

/** `log.append` is found as itself and as `this.log.append`. */
function callOf(declaration: ts.Node, callee: string, nth: number | undefined): ts.CallExpression {
  const calls = nodesIn(declaration, ts.isCallExpression).filter(({ expression }) =>
    `.${expression.getText().replaceAll(/[\s?]/g, '')}`.endsWith(`.${callee}`),
  );
  return only(calls, `call of ${callee}`, nth);
}

function valueOf(declaration: ts.Node): ts.Expression {
  const isValued = ts.isVariableDeclaration(declaration) || ts.isPropertyAssignment(declaration);
  const values = isValued && declaration.initializer !== undefined ? [declaration.initializer] : [];
  return only(values, 'value');
}

type WithBody = ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody };

function hasBody(node: ts.Node): node is WithBody {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

function isCondition(node: ts.Node): node is ts.Expression {
  return isTested(node) || isResult(node) || isOperand(node);
}

function isTested(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isConditionalExpression(parent)) {
    return parent.condition === node;
  }
  return (ts.isIfStatement(parent) || ts.isWhileStatement(parent)) && parent.expression === node;
}

function isResult(node: ts.Node): boolean {
  return (ts.isReturnStatement(node.parent) || ts.isArrowFunction(node.parent)) && ts.isExpression(node);
}

function isPart(node: ts.Node): node is ts.Node {
  const isElement = ts.isArrayLiteralExpression(node.parent);
  return isElement || ts.isObjectLiteralElement(node) || ts.isJsxAttribute(node) || isOperand(node);
}

function isOperand({ parent }: ts.Node): boolean {
  const operators = [ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken];
  return ts.isBinaryExpression(parent) && operators.includes(parent.operatorToken.kind);
}

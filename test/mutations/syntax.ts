import ts from 'typescript';

type Kind<Wanted extends ts.Node> = (node: ts.Node) => node is Wanted;

/** Parses a source file. Each node knows its parent. */
export function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

/**
 * Finds a declaration by its path, such as `createRunReplay.nextPage`. The first name belongs to the file itself. Each further
 * name belongs to a function, a constant or a property inside the declaration before it.
 */
export function declarationOf(file: ts.SourceFile, path: string): ts.Node {
  const [first = '', ...others] = path.split('.');
  const outermost = only(
    nodesIn(file, isDeclarationOf(first)).filter(isOutermost),
    `declaration of ${first}`,
  );
  return others.reduce<ts.Node>(
    (scope, name) => only(nodesIn(scope, isDeclarationOf(name)), `declaration of ${name}`),
    outermost,
  );
}

function isDeclarationOf(name: string): Kind<ts.Node> {
  return (node): node is ts.Node =>
    (ts.isFunctionDeclaration(node) ||
      ts.isVariableDeclaration(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isPropertyAssignment(node)) &&
    node.name !== undefined &&
    isNamed(node.name, name);
}

function isOutermost(node: ts.Node): boolean {
  const isScope = (parent: ts.Node) => ts.isFunctionLike(parent) || ts.isObjectLiteralExpression(parent);
  return ts.findAncestor(node.parent, isScope) === undefined;
}

/** All nodes of a kind below `scope`. */
export function nodesIn<Wanted extends ts.Node>(scope: ts.Node, isWanted: Kind<Wanted>): readonly Wanted[] {
  const found: Wanted[] = [];
  const visit = (node: ts.Node) => {
    if (isWanted(node)) {
      found.push(node);
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(scope, visit);
  return found;
}

/** The one smallest node of a kind that contains a name or a text. */
export function innermost<Wanted extends ts.Node>(
  scope: ts.Node,
  isWanted: Kind<Wanted>,
  name: string,
  nth?: number,
): Wanted {
  const isIt = (node: ts.Node): node is ts.Node => isNamed(node, name);
  const found = nodesIn(scope, isWanted).filter((node) => isIt(node) || nodesIn(node, isIt).length > 0);
  const contains = (node: ts.Node, other: ts.Node) =>
    ts.findAncestor(other.parent, (parent) => parent === node) !== undefined;
  const smallest = found.filter((node) => !found.some((other) => contains(node, other)));
  return only(smallest, `place of ${name}`, nth);
}

/** Whether this is the name itself, or a literal with this text. */
export function isNamed(node: ts.Node, name: string): boolean {
  return (ts.isIdentifier(node) || ts.isLiteralExpression(node)) && node.text === name;
}

/** The one item, or the nth one, counted from 1. Throws if there are others or none. */
export function only<Item>(items: readonly Item[], what: string, nth?: number): Item {
  const chosen = nth === undefined ? items : items.slice(nth - 1, nth);
  const [item] = chosen;
  if (item === undefined || chosen.length > 1) {
    throw new Error(`expected one ${what}, found ${items.length}`);
  }
  return item;
}

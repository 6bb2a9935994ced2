import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';

import { expect } from 'chai';
import ts from 'typescript';

/** Rules of the tree that dependency-cruiser cannot express. Directions between folders are in `.dependency-cruiser.js`. */

const folders = ['api', 'cli', 'consumers', 'projections', 'shared', 'stack'];
/** A folder with more files contains more than one idea. */
const maximumFiles = 13;
/** A module with fewer lines and a single importer is part of that importer. */
const leastLines = 40;

/** Small modules with a single importer that are neither pure nor part of their importer. */
const separateModules = [
  // Each command of the program has its own file.
  /^cli\/commands\//,
  // Each patch of kafkajs has its own file and its own test.
  /^shared\/log\/kafkajs-internals\//,
  // The benchmark imports the memory settings too.
  /^cli\/start\/roleMemory\.ts$/,
  // Only shared/store imports types of MongoDB.
  /^shared\/store\/queries\/canonicalDocument\.ts$/,
];

/** What a pure algorithm may import: code without effects. */
const purePackages = [/^node:(buffer|crypto|path|util|zlib)$/, /^(ipaddr\.js|picocolors|ulid|zod)$/];

function trackedFiles(...patterns: readonly string[]): readonly string[] {
  return execFileSync('git', ['ls-files', '--', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(path));
}

/** In a pattern of git, `*` matches subfolders too. */
const modules = trackedFiles(...folders.map((folder) => `${folder}/*.ts`));

interface Import {
  /** The path of a module, or the name of a package. */
  readonly target: string;
  readonly isType: boolean;
}

function importsOf(path: string): readonly Import[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const declared = source.statements.flatMap((statement) => {
    const specifier =
      ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
        ? statement.moduleSpecifier
        : undefined;
    return specifier !== undefined && ts.isStringLiteral(specifier)
      ? [{ specifier: specifier.text, isType: isTypeImport(statement) }]
      : [];
  });
  const loaded = ts.preProcessFile(source.text).importedFiles.map(({ fileName }) => fileName);
  const declaredSpecifiers = new Set(declared.map(({ specifier }) => specifier));
  const onDemand = loaded.filter((specifier) => !declaredSpecifiers.has(specifier));
  return [...declared, ...onDemand.map((specifier) => ({ specifier, isType: false }))].map(
    ({ specifier, isType }) => ({
      isType,
      target: specifier.startsWith('.') ? join(dirname(path), specifier).replace(/\.js$/, '.ts') : specifier,
    }),
  );
}

function isTypeImport(statement: ts.Statement): boolean {
  if (ts.isExportDeclaration(statement)) {
    return statement.isTypeOnly;
  }
  return ts.isImportDeclaration(statement) && importsTypesOnly(statement.importClause);
}

function importsTypesOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined || clause.phaseModifier === ts.SyntaxKind.TypeKeyword) {
    return clause !== undefined;
  }
  const { name, namedBindings: names } = clause;
  return (
    name === undefined &&
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.every(({ isTypeOnly }) => isTypeOnly)
  );
}

describe('the tree of modules', () => {
  const imports = new Map(modules.map((path) => [path, importsOf(path)]));

  const importersOf = (path: string) =>
    modules.filter((importer) => imports.get(importer)?.some(({ target }) => target === path));

  const isPure = (path: string, visited: ReadonlySet<string> = new Set()): boolean =>
    visited.has(path) ||
    (imports.get(path) ?? [])
      .filter(({ isType }) => !isType)
      .every(({ target }) =>
        imports.has(target)
          ? isPure(target, new Set([...visited, path]))
          : purePackages.some((pattern) => pattern.test(target)),
      );

  const hasTest = (path: string) => existsSync(`test/${path.replace(/\.ts$/, '.test.ts')}`);

  it(`has at most ${maximumFiles} modules in a folder`, () => {
    const byFolder = new Map<string, string[]>();
    for (const path of modules) {
      byFolder.set(dirname(path), [...(byFolder.get(dirname(path)) ?? []), basename(path)]);
    }
    const large = [...byFolder].filter(([, names]) => names.length > maximumFiles).map(([folder]) => folder);

    expect(large).to.deep.equal([]);
  });

  it('has no small module with a single importer, except for algorithms that have tests', () => {
    const small = modules
      .filter((path) => readFileSync(path, 'utf8').split('\n').length <= leastLines)
      .filter((path) => importersOf(path).length === 1)
      .filter((path) => !separateModules.some((pattern) => pattern.test(path)))
      .filter((path) => !(isPure(path) && hasTest(path)))
      .map((path) => `${path} belongs to ${importersOf(path).join()}`);

    expect(small).to.deep.equal([]);
  });

  it('uses the internals of kafkajs in one folder alone', () => {
    const elsewhere = modules
      .filter((path) => !path.startsWith('shared/log/kafkajs-internals/'))
      .filter((path) => /['"]kafkajs\/src\//.test(readFileSync(path, 'utf8')));

    expect(elsewhere).to.deep.equal([]);
  });
});

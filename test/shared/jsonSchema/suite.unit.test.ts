import { readdirSync, readFileSync } from 'node:fs';

import { expect } from 'chai';

import { compileSchema } from '../../../shared/jsonSchema/compiler/compileSchema.js';
import {
  isList,
  isObject,
  parseExactJson,
  writeExactJson,
  type JsonValue,
} from '../../../shared/jsonSchema/json/exactJson.js';
import { check, compile } from './support.js';

const directory = 'test/shared/jsonSchema/suite';

interface Group {
  readonly name: string;
  readonly schema: string;
  readonly tests: readonly { readonly description: string; readonly data: string; readonly valid: boolean }[];
}

/** Reads the groups of a file. Texts of schemas and data keep their digits. */
function groupsOf(file: string): readonly Group[] {
  return listOf(parseExactJson(readFileSync(`${directory}/${file}`, 'utf8'))).map((group) => ({
    name: `${file}: ${textOf(group, 'description')}`,
    schema: writeExactJson(member(group, 'schema')),
    tests: listOf(member(group, 'tests')).map((test) => ({
      description: textOf(test, 'description'),
      data: writeExactJson(member(test, 'data')),
      valid: member(test, 'valid') === true,
    })),
  }));
}

function member(value: JsonValue, name: string): JsonValue {
  return isObject(value) ? (value[name] ?? null) : null;
}

function textOf(value: JsonValue, name: string): string {
  const text = member(value, name);
  return typeof text === 'string' ? text : '';
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return isList(value) ? value : [];
}

function isCompiled(schema: string): boolean {
  return compileSchema(Buffer.from(schema)).outcome === 'compiled';
}

function failuresOf({ name, schema, tests }: Group): readonly string[] {
  const program = compile(schema);
  return tests.flatMap(({ description, data, valid }) => {
    const { status } = check(program, data).result;
    return status === (valid ? 'valid' : 'invalid') ? [] : [`${name}: ${description}: ${status}`];
  });
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(`${directory}/${folder}`)
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${folder}${name}`);
}

describe('The official test suite of JSON Schema 2020-12', () => {
  const groups = [...filesOf(''), ...filesOf('optional/')].flatMap(groupsOf);

  it('passes, except for the schemas that are rejected', () => {
    const failures = groups.filter(({ schema }) => isCompiled(schema)).flatMap(failuresOf);
    expect(failures).to.deep.equal([]);
  });

  it('has exactly the rejected schemas that the list names, with the reason', () => {
    const rejected = groups.flatMap(({ name, schema }) => {
      const compilation = compileSchema(Buffer.from(schema));
      return compilation.outcome === 'rejected'
        ? [`${name}: ${compilation.place}: ${compilation.message}`]
        : [];
    });
    expect(rejected).to.deep.equal(
      readFileSync('test/shared/jsonSchema/rejectedBySuite.txt', 'utf8').split('\n').filter(Boolean),
    );
  });
});

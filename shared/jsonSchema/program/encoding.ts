import type { Keyword } from './keywords.js';
import type { EncodedProgram, PatternProgram, ProgramNode, SchemaProgram } from './program.js';

/** A program before it is encoded. */
export interface CompiledParts {
  readonly nodes: readonly ProgramNode[];
  readonly patterns: readonly PatternProgram[];
  readonly needsExactNumbers: boolean;
}

/** JSON has no sets and no typed arrays. */
type Encoded<Value> =
  Value extends ReadonlySet<infer Item>
    ? readonly Item[]
    : Value extends Uint8Array | Int32Array
      ? readonly number[]
      : Value;

type EncodedFields<Value> = { readonly [Name in keyof Value]: Encoded<Value[Name]> };
type EncodedKeyword = Keyword extends infer One ? (One extends Keyword ? EncodedFields<One> : never) : never;

interface EncodedNode {
  readonly keywords: readonly EncodedKeyword[];
  readonly hasUnevaluated: boolean;
}

interface EncodedPattern {
  readonly operations: readonly number[];
  readonly operands: readonly number[];
  readonly classes: readonly (readonly number[])[];
}

/** The memory of a decoded program, as a multiple of the length of its texts. */
const bytesOfCharacter = 4;

export function encodeProgram({ nodes, patterns, needsExactNumbers }: CompiledParts): EncodedProgram {
  const texts = { nodes: nodes.map(encode), patterns: patterns.map(encode) };
  const characters = [...texts.nodes, ...texts.patterns].reduce((sum, { length }) => sum + length, 0);
  return { ...texts, needsExactNumbers, bytes: characters * bytesOfCharacter };
}

export function decodeProgram(encoded: EncodedProgram): SchemaProgram {
  const { needsExactNumbers } = encoded;
  return {
    node: decodedOnce(encoded.nodes, decodeNode),
    pattern: decodedOnce(encoded.patterns, decodePattern),
    needsExactNumbers,
    encoded,
  };
}

function encode(part: ProgramNode | PatternProgram): string {
  return JSON.stringify(part, (_name, value: unknown) => {
    if (value instanceof Set || value instanceof Uint8Array || value instanceof Int32Array) {
      return [...value] as unknown[];
    }
    // A size such as 1e399. JSON has no number for it.
    return value === Number.POSITIVE_INFINITY ? Number.MAX_VALUE : value;
  });
}

function decodedOnce<Part>(
  texts: readonly string[],
  decode: (text: string) => Part,
): (index: number) => Part {
  const parts: Part[] = [];
  return (index) => {
    const known = parts[index];
    if (known !== undefined) {
      return known;
    }
    const text = texts[index];
    if (text === undefined) {
      throw new RangeError(`The program has no part ${index}.`);
    }
    const part = decode(text);
    parts[index] = part;
    return part;
  };
}

function decodeNode(text: string): ProgramNode {
  const { keywords, hasUnevaluated } = JSON.parse(text) as EncodedNode;
  return { keywords: keywords.map(decodeKeyword), hasUnevaluated };
}

function decodeKeyword(encoded: EncodedKeyword): Keyword {
  switch (encoded.keyword) {
    case 'enum':
    case 'const':
      return { keyword: encoded.keyword, texts: new Set(encoded.texts) };
    case 'additionalProperties':
      return { ...encoded, names: new Set(encoded.names) };
    default:
      return encoded;
  }
}

function decodePattern(text: string): PatternProgram {
  const { operations, operands, classes } = JSON.parse(text) as EncodedPattern;
  return {
    operations: Uint8Array.from(operations),
    operands: Int32Array.from(operands),
    classes: classes.map((ranges) => Int32Array.from(ranges)),
  };
}

import type { Decimal } from '../json/exactNumber.js';

/** The bits of `Keywords.type`. A whole number has two of them. */
export const typeBits = {
  null: 1,
  boolean: 2,
  string: 4,
  array: 8,
  object: 16,
  number: 32,
  integer: 64,
} as const;

interface NumberLimit {
  readonly limit: number | Decimal;
}

interface SizeLimit {
  readonly limit: number;
}

/** The canonical texts of allowed values. */
interface AllowedValues {
  readonly texts: ReadonlySet<string>;
}

interface Node {
  /** The index of a subschema. */
  readonly node: number;
}

interface Nodes {
  readonly nodes: readonly number[];
}

interface NamedNodes {
  readonly nodes: readonly (readonly [name: string, node: number])[];
}

/** The operands of each keyword. A name of a schema is combined with the names that it depends on. */
export interface Keywords {
  /** The schema `false`. */
  readonly never: object;
  readonly type: { readonly types: number };
  readonly enum: AllowedValues;
  readonly const: AllowedValues;
  readonly minimum: NumberLimit;
  readonly maximum: NumberLimit;
  readonly exclusiveMinimum: NumberLimit;
  readonly exclusiveMaximum: NumberLimit;
  readonly multipleOf: NumberLimit;
  readonly minLength: SizeLimit;
  readonly maxLength: SizeLimit;
  readonly minItems: SizeLimit;
  readonly maxItems: SizeLimit;
  readonly minProperties: SizeLimit;
  readonly maxProperties: SizeLimit;
  /** `pattern` is an index. */
  readonly pattern: { readonly pattern: number };
  readonly uniqueItems: object;
  readonly required: { readonly names: readonly string[] };
  readonly dependentRequired: {
    readonly names: readonly (readonly [name: string, required: readonly string[]])[];
  };
  readonly properties: NamedNodes;
  readonly patternProperties: { readonly nodes: readonly (readonly [pattern: number, node: number])[] };
  /** `names` contains canonical texts. */
  readonly additionalProperties: Node & {
    readonly names: ReadonlySet<string>;
    readonly patterns: readonly number[];
  };
  readonly propertyNames: Node;
  readonly prefixItems: Nodes;
  /** The items from the index `start`. */
  readonly items: Node & { readonly start: number };
  readonly contains: Node & { readonly minimum: number; readonly maximum: number };
  readonly reference: Node;
  readonly allOf: Nodes;
  readonly anyOf: Nodes;
  readonly oneOf: Nodes;
  readonly not: Node;
  readonly if: Node & { readonly then: number | null; readonly else: number | null };
  readonly dependentSchemas: NamedNodes;
  readonly unevaluatedItems: Node;
  readonly unevaluatedProperties: Node;
}

export type KeywordName = keyof Keywords;

/** A keyword of a subschema with its operands. */
export type Keyword<Name extends KeywordName = KeywordName> = {
  readonly [N in Name]: { readonly keyword: N } & Keywords[N];
}[Name];

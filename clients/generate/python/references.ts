import type { Api, NamedType, TypeReference } from '../model.js';

/** Where a type is: responses have exact types, and requests accept everything that can be sent. */
type Direction = 'input' | 'output';

/** Writes types as Python annotations. */
export interface References {
  readonly annotation: (type: TypeReference, direction: Direction) => string;
  /** The type behind a name, if the name is not that of an object. */
  readonly resolved: (type: TypeReference) => TypeReference;
}

export function createReferences(api: Api): References {
  const types = new Map(api.types.map((type) => [type.name, type]));
  const annotation = (type: TypeReference, direction: Direction): string => {
    const isInput = direction === 'input';
    const inner = (other: TypeReference): string => annotation(other, direction);
    switch (type.kind) {
      case 'named':
        return named(types.get(type.name), inner);
      case 'array':
        return isInput ? `Sequence[${inner(type.items)}]` : `list[${inner(type.items)}]`;
      case 'map':
        return isInput ? `Mapping[str, ${inner(type.values)}]` : `dict[str, ${inner(type.values)}]`;
      case 'nullable':
        return `${inner(type.type)} | None`;
      case 'union':
        return type.members.map(inner).join(' | ');
      case 'literals':
        return literals(type.values);
      default:
        return plain(type, isInput);
    }
  };
  const resolved = (type: TypeReference): TypeReference => {
    const definition = type.kind === 'named' ? types.get(type.name)?.definition : undefined;
    return definition === undefined || definition.kind === 'object' ? type : resolved(definition);
  };
  return { annotation, resolved };
}

/** Whether a named type is a class or an alias of the generated module. Other names are written out. */
export function isEmitted({ definition }: NamedType): boolean {
  return definition.kind === 'literals' || (definition.kind === 'object' && definition.others === null);
}

function named(type: NamedType | undefined, inner: (type: TypeReference) => string): string {
  if (type === undefined) {
    throw new Error('a reference has no type');
  }
  if (isEmitted(type)) {
    return type.name;
  }
  return type.definition.kind === 'object' ? 'JsonObject' : inner(type.definition);
}

function plain(
  type: Exclude<TypeReference, { kind: 'named' | 'array' | 'map' | 'nullable' | 'union' | 'literals' }>,
  isInput: boolean,
): string {
  switch (type.kind) {
    case 'string':
      return type.format === 'date-time' ? (isInput ? 'datetime | str' : 'datetime') : 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'json':
      return 'Any';
    case 'rawJson':
      return type.isObject ? (isInput ? 'Mapping[str, Any] | RawJson' : 'JsonObject') : 'Any';
  }
}

function literals(values: readonly (string | boolean)[]): string {
  return `Literal[${values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : value ? 'True' : 'False')).join(', ')}]`;
}

import type { Api, NamedType, TypeReference } from '../model.js';
import { typesIn } from '../readTypes.js';

/** The name of the data of events, which a client can send and receive as JSON text. */
export const eventData = 'EventData';

/** The types of responses and deliveries that contain the data of an event. They have a type parameter for it. */
export function typesWithData({ types }: Pick<Api, 'types'>): ReadonlySet<string> {
  const outputs = types.filter(({ isOutput, definition }) => isOutput && definition.kind === 'object');
  const found = new Set<string>();
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const type of outputs) {
      if (referencesOf(type).some((name) => name === eventData || found.has(name))) {
        found.add(type.name);
      }
    }
  }
  return found;
}

function referencesOf({ definition }: NamedType): readonly string[] {
  return definition.kind === 'object'
    ? definition.fields.flatMap(({ type }) => typesIn(type))
    : typesIn(definition);
}

/** Where a response of this type has the data of events: names of fields, and `*` for each item of a list. */
export function dataPaths(
  { types }: Pick<Api, 'types'>,
  type: TypeReference,
): readonly (readonly string[])[] {
  const below = (step: string, each: TypeReference): readonly (readonly string[])[] =>
    dataPaths({ types }, each).map((path) => [step, ...path]);
  switch (type.kind) {
    case 'named': {
      if (type.name === eventData) {
        return [[]];
      }
      const definition = types.find(({ name }) => name === type.name)?.definition;
      return definition?.kind === 'object'
        ? definition.fields.flatMap((field) => below(field.name, field.type))
        : [];
    }
    case 'array':
      return below('*', type.items);
    case 'nullable':
      return dataPaths({ types }, type.type);
    default:
      return [];
  }
}

import type { Api, TypeReference } from '../model.js';
import { eventData, typesWithData } from './rawData.js';

/** What the texts of all types depend on. */
export interface TypeContext {
  readonly api: Api;
  /** The types with a type parameter for the data of events. */
  readonly withData: ReadonlySet<string>;
  /** The types of JSON that the service keeps byte for byte. */
  readonly raw: ReadonlySet<string>;
}

export function typeContext(api: Api): TypeContext {
  const raw = api.types.filter(({ definition }) => definition.kind === 'rawJson').map(({ name }) => name);
  return { api, withData: typesWithData(api), raw: new Set(raw) };
}

/** Where a type is written. */
export interface TypePlace {
  readonly context: TypeContext;
  /** Whether it is the type of an argument, which may have other forms than a result. */
  readonly isInput: boolean;
  /** The argument for the type parameter of types with the data of events. */
  readonly data: string;
}

const jsonObject = 'Record<string, unknown>';

/** The TypeScript text of a type. */
export function typeText(type: TypeReference, place: TypePlace): string {
  const { isInput } = place;
  switch (type.kind) {
    case 'named':
      return nameText(type.name, place);
    case 'string':
      return isInput && type.format === 'date-time' ? 'string | Date' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'literals':
      return type.values
        .map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
        .join(' | ');
    case 'array': {
      const items = typeText(type.items, place);
      return `${isInput ? 'readonly ' : ''}${items.includes(' ') ? `(${items})` : items}[]`;
    }
    case 'map': {
      const map = `Record<string, ${typeText(type.values, place)}>`;
      return isInput ? `Readonly<${map}>` : map;
    }
    case 'nullable': {
      const text = typeText(type.type, place);
      return text === 'unknown' ? text : `${text} | null`;
    }
    case 'union':
      return type.members.map((member) => typeText(member, place)).join(' | ');
    case 'rawJson':
      return type.isObject ? jsonObject : `${jsonObject} | unknown[] | string | number | boolean | null`;
    case 'json':
      return 'unknown';
  }
}

function nameText(name: string, { context, isInput, data }: TypePlace): string {
  if (isInput && name === eventData) {
    // An interface has no index signature, so it is no `EventData`.
    return 'EventDataInput';
  }
  if (isInput) {
    return context.raw.has(name) ? `${name} | RawJson` : name;
  }
  if (name === eventData) {
    return data;
  }
  return context.withData.has(name) ? `${name}<${data}>` : name;
}

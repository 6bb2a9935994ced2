import type { Api, Field, NamedType } from '../model.js';
import { eventData } from './rawData.js';
import { docComment, fileText, importOf } from './text.js';
import { typeContext, typeText, type TypePlace } from './typeText.js';

/** The file with the named types. A page of a list is a class of the library instead. */
export function typesFile(api: Api): string {
  const context = typeContext(api);
  const pages = new Set(
    api.resources.flatMap(({ operations }) =>
      operations.flatMap(({ result }) =>
        result.kind === 'page' && result.type.kind === 'named' ? [result.type.name] : [],
      ),
    ),
  );
  const declarations = api.types
    .filter(({ name }) => !pages.has(name))
    .map((type) => declarationOf(type, { context, isInput: type.isInput && !type.isOutput, data: 'Data' }));
  const code = declarations.join('\n');
  const imports =
    importOf({ names: ['EventDataInput'], from: '../json/eventDataInput.js' }, code) +
    importOf({ names: ['RawJson'], from: '../json/rawJson.js' }, code);
  return fileText([imports, code]);
}

function declarationOf({ name, description, definition }: NamedType, place: TypePlace): string {
  const comment = docComment(description);
  if (definition.kind !== 'object') {
    return `${comment}export type ${name} = ${typeText(definition, place)};\n`;
  }
  const parameter = place.context.withData.has(name) ? `<Data = ${eventData}>` : '';
  const fields = definition.fields.map((field) => fieldText(field, place)).join('');
  // An index signature must fit all fields, so others are of any type.
  const others = definition.others === null ? '' : '  [name: string]: unknown;\n';
  return `${comment}export interface ${name}${parameter} {\n${fields}${others}}\n`;
}

function fieldText(field: Field, place: TypePlace): string {
  return memberText({ ...field, text: typeText(field.type, place), isInput: place.isInput });
}

/** A member of an interface. An optional one of an argument may also be undefined. */
export function memberText(member: {
  readonly name: string;
  readonly text: string;
  readonly isRequired: boolean;
  readonly isInput: boolean;
  readonly description: string;
}): string {
  const { name, text, isRequired, isInput, description } = member;
  const orUndefined = !isRequired && isInput && text !== 'unknown' ? ' | undefined' : '';
  return `${docComment(description, '  ')}  ${isInput ? 'readonly ' : ''}${name}${isRequired ? '' : '?'}: ${text}${orUndefined};\n`;
}

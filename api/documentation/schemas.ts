import type { JsonSchema, OpenApiDocument } from '../openapi/openApiTypes.js';
import { lineOf } from './commonMark.js';
import { html, type Html } from './html.js';

const componentPrefix = '#/components/schemas/';

/** The fields of an object, as a table; of anything else, its type. */
export function schemaOf(schema: JsonSchema, caption: string): Html {
  const { properties, required = [] } = schema;
  if (properties === undefined || Object.keys(properties).length === 0) {
    return html`<p>${typeOf(schema)}</p>`;
  }
  const rows = Object.entries(properties).map(([name, property]) =>
    fieldRow(name, objectOf(property), required.includes(name)),
  );
  return fieldTable(caption, rows);
}

/**
 * A table of fields or parameters. Its roles are spelled out: a phone shows it as a list, and browsers take such a table's own
 * roles away.
 */
export function fieldTable(caption: string, rows: readonly Html[]): Html {
  return html`<div class="wide" tabindex="0" role="group" aria-label="${caption}">
    <table role="table">
      <caption>
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader">Name</th>
          <th scope="col" role="columnheader">Type</th>
          <th scope="col" role="columnheader">Meaning</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** @param place where a parameter stands; empty for a field of a body */
export function fieldRow(name: string, schema: JsonSchema, isRequired: boolean, place = ''): Html {
  const notes = [place, isRequired ? '' : 'optional', ...limitsOf(schema)].filter((note) => note !== '');
  return html`<tr role="row">
    <th scope="row" role="rowheader"><code>${name}</code></th>
    <td role="cell">
      ${typeOf(schema)}${notes.length === 0 ? '' : html`<br /><small>${notes.join(', ')}</small>`}
    </td>
    <td role="cell">${lineOf(schema.description ?? '')}</td>
  </tr>`;
}

/** The objects that others refer to. */
export function componentSections({ components }: OpenApiDocument): readonly Html[] {
  return Object.entries(components.schemas).map(
    ([name, schema]) =>
      html`<section id="object-${name}">
        <h3><a href="#object-${name}">${name}</a></h3>
        ${schema.description === undefined ? '' : html`<p>${lineOf(schema.description)}</p>`}
        ${schemaOf(schema, `Fields of ${name}`)}
      </section>`,
  );
}

function typeOf(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace(componentPrefix, '');
    return html`<a href="#object-${name}">${name}</a>`;
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) {
    return joined(alternatives.map(typeOf), ' or ');
  }
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values !== undefined) {
    return joined(
      values.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ' or ',
    );
  }
  return typeOfStructure(schema);
}

function typeOfStructure({ type, items, properties = {}, format }: JsonSchema): Html {
  if (type === 'array' && items !== undefined && !Array.isArray(items)) {
    return html`array of ${typeOf(objectOf(items))}`;
  }
  const names = Object.keys(properties);
  if (names.length > 0) {
    return html`object with
    ${joined(
      names.map((name) => html`<code>${name}</code>`),
      ', ',
    )}`;
  }
  return format === 'date-time' ? html`time` : html`${type ?? 'any'}`;
}

function limitsOf(schema: JsonSchema): readonly string[] {
  const { minimum, maximum, minLength, maxLength } = schema;
  return [
    ...rangeOf(
      minimum,
      Number.isSafeInteger(maximum) && maximum !== Number.MAX_SAFE_INTEGER ? maximum : undefined,
    ),
    ...rangeOf(minLength, maxLength).map((range) => `${range} characters`),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
}

function rangeOf(least: number | undefined, most: number | undefined): readonly string[] {
  if (most === undefined) {
    return least === undefined || !Number.isSafeInteger(least) || least < 0 ? [] : [`at least ${least}`];
  }
  return [least === undefined ? `at most ${most}` : `${least} to ${most}`];
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => html`${index === 0 ? '' : separator}${part}`)}`;
}

/** JSON Schema allows `true` and `false` in the place of a schema. */
function objectOf(schema: JsonSchema | boolean): JsonSchema {
  return typeof schema === 'boolean' ? {} : schema;
}

import type { Api, Field, Operation } from '../model.js';
import { dataPaths } from './rawData.js';
import { capitalized, docComment } from './text.js';
import { typeText, type TypeContext } from './typeText.js';
import { memberText } from './types.js';

/** The interface of the parameters of a query, or an empty text if there are none. */
export function parametersText(operation: Operation, context: TypeContext): string {
  const { id, queryParameters, result } = operation;
  if (queryParameters.length === 0) {
    return '';
  }
  const isStream = result.kind === 'stream';
  const members = queryParameters.map((parameter) => {
    const { type } = parameter;
    const text = typeText(type, { context, isInput: true, data: '' });
    const single =
      type.kind === 'array' ? `${typeText(type.items, { context, isInput: true, data: '' })} | ` : '';
    const name = isStream ? streamName(parameter) : parameter.name;
    return memberText({ ...parameter, name, text: `${single}${text}`, isInput: true });
  });
  const last = isStream ? lastEventIdText : '';
  return `/** The parameters of the operation \`${id}\`. */
export interface ${parametersName(operation)} {
${members.join('')}${last}}
`;
}

const lastEventIdText = memberText({
  name: 'lastEventId',
  text: 'string',
  isRequired: false,
  isInput: true,
  description:
    'The event after which the stream begins, such as the last one that an earlier process has handled. The events of ' +
    'the minute before it may come again. Without it, the stream has only new events.',
});

/** The stream is told its types, not a type: `types`. */
function streamName({ name, type }: Field): string {
  return type.kind === 'array' ? `${name}s` : name;
}

function parametersName({ id }: Operation): string {
  return `${capitalized(id)}Parameters`;
}

/** The method of an operation. */
export function methodText(operation: Operation, context: TypeContext): string {
  const comment = docComment(descriptionOf(operation), '  ');
  switch (operation.result.kind) {
    case 'single':
      return `${comment}  async ${signature(operation, context, (type) => `Promise<${type}>`)} {
    return (await this.#client.send({${requestText(operation, context)}
    })) as ${itemText(operation, context)};
  }
`;
    case 'page':
      return `${comment}  ${signature(operation, context, (type) => `List<${type}>`)} {
    return new List({
      parameters: { ...parameters },
      cursorOf: (item) => item.${operation.result.cursor},
      read: async (query) =>
        (await this.#client.send({${requestText(operation, context, '    ')}
        })) as PageContent<${itemText(operation, context)}>,
    });
  }
`;
    case 'stream':
      return `${comment}  ${signature(operation, context, (type) => `AsyncGenerator<${type}, void>`)} {
    return followStream(this.#client, {${requestText(operation, context)}
      lastEventId: parameters.lastEventId,
    }) as AsyncGenerator<${itemText(operation, context)}, void>;
  }
`;
  }
}

/** The stream of the library is not the one of the document, which has every state of an event, and which ends. */
function descriptionOf({ summary, description, result }: Operation): string {
  if (result.kind !== 'stream') {
    return `${summary}.\n\n${description}`;
  }
  const [permission = ''] = description.split('\n').slice(-1);
  return (
    `${summary}.\n\n` +
    'Gives each new event once, within about a second. A lost connection is replaced by another one, which continues ' +
    'after the last event. The stream ends when the loop over it ends, or with `options.signal`. If the service has to ' +
    'omit events, the loop throws a `StreamGapError`.\n\n' +
    permission
  );
}

/** The signature of a method, up to its body. */
function signature(operation: Operation, context: TypeContext, resultText: (type: string) => string): string {
  const { name, pathParameters, body, queryParameters, takesIdempotencyKey } = operation;
  const hasData = pathsOf(operation, context).length > 0;
  const options = takesIdempotencyKey ? 'IdempotentRequestOptions' : 'RequestOptions';
  const needsParameters = queryParameters.some(({ isRequired }) => isRequired);
  const place = { context, isInput: true, data: '' };
  const list = [
    ...pathParameters.map((parameter) => `${parameter.name}: string`),
    ...(body === null ? [] : [`body: ${typeText(body.type, place)}${body.isRequired ? '' : ' = {}'}`]),
    ...(queryParameters.length === 0
      ? []
      : [`parameters: ${parametersName(operation)}${needsParameters ? '' : ' = {}'}`]),
    `options: ${options}${hasData ? ' & RawDataOptions<Raw>' : ''} = {}`,
  ];
  const generic = hasData ? '<Raw extends boolean = false>' : '';
  const result = resultText(itemText(operation, context));
  const line = `${name}${generic}(${list.join(', ')}): ${result}`;
  return line.length <= 100
    ? line
    : `${name}${generic}(\n${list.map((each) => `    ${each},\n`).join('')}  ): ${result}`;
}

/** The type of what an operation gives: the response, or each item of it. */
function itemText({ result }: Operation, context: TypeContext): string {
  const type = result.kind === 'single' ? result.type : result.item;
  return typeText(type, { context, isInput: false, data: 'DataAs<Raw>' });
}

function pathsOf({ result }: Operation, { api }: TypeContext): readonly (readonly string[])[] {
  return result.kind === 'stream' ? dataPaths(api, result.item) : dataPaths(api, result.type);
}

/** The members of the request of an operation, each on a line. */
function requestText(operation: Operation, context: TypeContext, indent = ''): string {
  const { httpMethod, path, body, queryParameters, flag, result } = operation;
  const paths = pathsOf(operation, context);
  const members = [
    ...(result.kind === 'stream' ? [] : [`method: '${httpMethod}'`]),
    `path: path\`${path.replaceAll('{', '${')}\``,
    ...(queryParameters.length === 0 && flag?.place !== 'query' ? [] : [queryText(operation)]),
    ...(body === null ? [] : [flag?.place === 'body' ? `body: { ...body, ${flag.name}: true }` : 'body']),
    ...(paths.length === 0 ? [] : [`rawPaths: ${pathsText(paths)}`]),
    ...goneText(operation, context.api),
    'options',
  ];
  return members.map((member) => `\n${indent}      ${member},`).join('');
}

function queryText({ queryParameters, flag, result }: Operation): string {
  switch (result.kind) {
    case 'page':
      return 'query';
    case 'single': {
      const given = queryParameters.length === 0 ? [] : ['...parameters'];
      const sent = flag?.place === 'query' ? [...given, `${flag.name}: true`] : given;
      return `query: { ${sent.join(', ')} }`;
    }
    case 'stream': {
      const members = queryParameters.map(
        (parameter) => `${parameter.name}: parameters.${streamName(parameter)}`,
      );
      return `query: { ${members.join(', ')} }`;
    }
  }
}

function pathsText(paths: readonly (readonly string[])[]): string {
  return `[${paths.map((steps) => `[${steps.map((step) => `'${step}'`).join(', ')}]`).join(', ')}]`;
}

/** What the deletion of one resource answers, which says nothing but that it is deleted. */
function goneText({ httpMethod, pathParameters, result }: Operation, { types }: Api): readonly string[] {
  const [parameter, ...others] = pathParameters;
  if (httpMethod !== 'DELETE' || parameter === undefined || others.length > 0 || result.kind !== 'single') {
    return [];
  }
  const { type } = result;
  const definition =
    type.kind === 'named' ? types.find(({ name }) => name === type.name)?.definition : undefined;
  const fields = definition?.kind === 'object' ? definition.fields.map(({ name }) => name) : [];
  return fields.join() === `${parameter.name},deleted`
    ? [`answerIfGone: { ${parameter.name}, deleted: true }`]
    : [];
}

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

import { errorCodes, isErrorCode } from '../../api/http/errorCodes.js';
import {
  isReference,
  type Header,
  type OpenApiDocument,
  type Operation,
  type Reference,
  type Response,
} from '../../api/openapi/openApiTypes.js';
import { describedApi, resolveResponse } from './describedApi.js';

/** A request and its response, as far as the OpenAPI document describes them. */
export interface Exchange {
  readonly method: string;
  /** The path and the query. */
  readonly path: string;
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly text: string;
}

interface Described {
  readonly method: string;
  readonly template: string;
  readonly form: RegExp;
  readonly operation: Operation;
}

const document = describedApi();
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema(
  strictCopy(document),
  'api',
);

/**
 * The document as the tests read it: a response has only the described fields, and each time ends with `Z`. The
 * published document leaves both open for generators.
 */
function strictCopy(described: OpenApiDocument): object {
  return JSON.parse(JSON.stringify(described), (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    if ('format' in value && value.format === 'date-time') {
      return { ...value, pattern: 'Z$' };
    }
    // Below `properties`, a field may itself have the name `properties`.
    const isObjectSchema = 'type' in value && value.type === 'object' && 'properties' in value;
    return isObjectSchema ? { additionalProperties: false, ...value } : value;
  }) as object;
}

const operations: readonly Described[] = Object.entries(document.paths).flatMap(([template, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method,
    template,
    form: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    operation,
  })),
);

/**
 * Checks a response against the OpenAPI document: its status, its headers and every field of its body.
 * @throws Error if the document does not allow the response
 */
export function checkExchange(exchange: Exchange): void {
  const { method, path, status } = exchange;
  const described = findOperation(method, path);
  const faults = described === null ? faultsOfRefusal(exchange) : faultsOf(described, exchange);
  if (faults.length > 0) {
    throw new Error(
      `${method} ${path} has a response that is not described: ${status} ${exchange.text.slice(0, 500)}\n${faults.join('\n')}`,
    );
  }
}

/** HEAD is GET without the body. */
function findOperation(method: string, path: string): Described | null {
  const [bare = ''] = path.split('?');
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  if (/%(?![0-9a-f]{2})|%[c-f]/i.test(bare)) {
    // The path cannot be decoded, so no operation has it. The tests write only ASCII into valid paths.
    return null;
  }
  return operations.find(({ method: own, form }) => own === asked && form.test(bare)) ?? null;
}

/**
 * The operation whose response `createEvent` has for a batch of CloudEvents. The document describes batches only here,
 * because generators need one kind of response for each operation.
 */
const batchPath = '/v1/events/batch';

const firstError = 400;

/** The files of the dashboard, of the customer portal and of the API reference are no operations. */
function isPageResponse(path: string, status: number): boolean {
  return status < firstError && ['/dashboard', '/portal', '/docs/'].some((start) => path.startsWith(start));
}

const noContent = 204;

/** A request that matches no operation gets an error. */
function faultsOfRefusal({ method, path, status, text }: Exchange): readonly string[] {
  if (method === 'HEAD' || (method === 'OPTIONS' && status === noContent) || isPageResponse(path, status)) {
    return [];
  }
  const { error } = JSON.parse(text) as { error?: { code?: unknown } };
  const code = error?.code;
  return isErrorCode(code) && errorCodes[code].status === status ? [] : [`no error of status ${status}`];
}

function faultsOf(described: Described, exchange: Exchange): readonly string[] {
  const { status } = exchange;
  const given = described.operation.responses[status];
  if (given === undefined) {
    const { operationId } = described.operation;
    const batch = operationId === 'createEvent' && status === 200 ? findOperation('POST', batchPath) : null;
    return batch === null ? [`${operationId} has no status ${status}`] : faultsOf(batch, exchange);
  }
  const response = resolveResponse(document, given);
  return [
    ...faultsOfHeaders(response, exchange),
    ...faultsOfBody(response, responsePointer(described, status, given), exchange),
    ...faultsOfCode(response, exchange),
  ];
}

/** The path of a response in the document. */
function responsePointer({ template, method }: Described, status: number, given: Response | Reference) {
  return isReference(given)
    ? given.$ref.split('/').slice(1)
    : ['paths', template, method, 'responses', String(status)];
}

/** A request and its response that a page shows: the bodies are JSON. */
export interface Sample {
  readonly method: string;
  readonly path: string;
  /** Empty if the request has no body. */
  readonly body: string;
  /** Null if the page shows no response. */
  readonly response: { readonly status: number; readonly body: string } | null;
}

/**
 * Checks the bodies of a sample against the OpenAPI document.
 * @throws Error if the document does not allow one of them
 */
export function checkSample(sample: Sample): void {
  const described = findOperation(sample.method, sample.path);
  const faults = described === null ? ['no such operation'] : faultsOfSample(described, sample);
  if (faults.length > 0) {
    throw new Error(`the sample of ${sample.method} ${sample.path} is outdated:\n${faults.join('\n')}`);
  }
}

function faultsOfSample(described: Described, { body, response }: Sample): readonly string[] {
  const { template, method, operation } = described;
  const content = ['content', 'application/json', 'schema'];
  const given = response === null ? undefined : operation.responses[response.status];
  if (response !== null && given === undefined) {
    return [`no status ${response.status}`];
  }
  return [
    ...(body === '' ? [] : faultsOfJson(['paths', template, method, 'requestBody', ...content], body)),
    ...(response === null || given === undefined
      ? []
      : faultsOfJson([...responsePointer(described, response.status, given), ...content], response.body)),
  ];
}

/** An error has one of the codes that the document lists for its status. */
function faultsOfCode(response: Response, { method, text }: Exchange): readonly string[] {
  const codes = response['x-error-codes'];
  if (codes === undefined || method === 'HEAD') {
    return [];
  }
  const { error } = JSON.parse(text) as { error: { code: string; type: string } };
  const isDescribed =
    codes.includes(error.code) && isErrorCode(error.code) && errorCodes[error.code].type === error.type;
  return isDescribed ? [] : [`the error ${error.type} ${error.code} is not described`];
}

function faultsOfHeaders({ headers }: Response, exchange: Exchange): readonly string[] {
  return Object.entries(headers).flatMap(([name, given]) => {
    const header = isReference(given) ? headerAt(given.$ref) : given;
    const value = exchange.header(name);
    if (value === null) {
      return header.required ? [`the header ${name} is missing`] : [];
    }
    return ajv.validate(header.schema, header.schema.type === 'integer' ? Number(value) : value)
      ? []
      : [`the header ${name} is ${value}`];
  });
}

function headerAt(reference: string): Header {
  const name = reference.split('/').at(-1) ?? '';
  const header = document.components.headers[name];
  if (header === undefined) {
    throw new Error(`the document has no header ${name}`);
  }
  return header;
}

/** @param pointer the path of the response in the document */
function faultsOfBody({ content = {} }: Response, pointer: readonly string[], exchange: Exchange) {
  const [mediaType] = Object.keys(content);
  if (mediaType === undefined || exchange.method === 'HEAD') {
    return exchange.text === '' ? [] : ['an unexpected body'];
  }
  if (!(exchange.header('content-type') ?? '').startsWith(mediaType)) {
    return [`no ${mediaType}: ${String(exchange.header('content-type'))}`];
  }
  return mediaType === 'application/json'
    ? faultsOfJson([...pointer, 'content', mediaType, 'schema'], exchange.text)
    : [];
}

function faultsOfJson(pointer: readonly string[], text: string): readonly string[] {
  const validate = schemaAt(pointer);
  return validate(JSON.parse(text)) ? [] : [ajv.errorsText(validate.errors, { separator: '\n' })];
}

function schemaAt(pointer: readonly string[]): ValidateFunction {
  const fragment = pointer.map((part) =>
    encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  const validate = ajv.getSchema(`api#/${fragment.join('/')}`);
  if (validate === undefined) {
    throw new Error(`the document has nothing at ${pointer.join(' ')}`);
  }
  return validate;
}

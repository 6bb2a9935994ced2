import type { Operation, Response } from '../openapi/openApiTypes.js';
import { apiKeyScheme } from '../openapi/operation.js';
import { errorCodes, type ErrorCode } from '../http/errorCodes.js';
import { lineOf, paragraphsOf } from './commonMark.js';
import { curlOf } from './curl.js';
import { html, type Html } from './html.js';
import { codeBlock, jsonBlock } from './page.js';
import { fieldRow, fieldTable, schemaOf } from './schemas.js';

export interface DocumentedOperation {
  readonly method: string;
  /** `/v1/events/{id}` */
  readonly path: string;
  readonly operation: Operation;
  /** What it refuses with. */
  readonly errors: readonly ErrorCode[];
}

/** An operation that clients call. */
export function operationSection(documented: DocumentedOperation): Html {
  const { method, path, operation, errors } = documented;
  const errorStatuses = new Set(errors.map((code) => String(errorCodes[code].status)));
  const answers = Object.entries(operation.responses).filter(([status]) => !errorStatuses.has(status));
  return html`<section id="${operation.operationId}">
    ${heading(operation)}
    <p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
    ${paragraphsOf(operation.description)}
    <p>${permissionOf(operation)}</p>
    ${requestOf(operation)}
    <h4>Example</h4>
    ${codeBlock(`Example request: ${operation.summary}`, curlOf(method, path, operation))}
    ${answersOf(answers)}
    <h4>Errors</h4>
    <ul class="errors">
      ${errors.map(
        (code) =>
          html`<li>
            ${errorCodes[code].status} <a href="/docs/errors/${code}"><code>${code}</code></a>
          </li> `,
      )}
    </ul>
  </section>`;
}

/** The request that a webhook receives: the operation of its owner. */
export function deliverySection(operation: Operation): Html {
  return html`<section id="${operation.operationId}">
    ${heading(operation)}
    <p class="route"><span class="method post">POST</span> the <code>url</code> of the webhook</p>
    ${paragraphsOf(operation.description)} ${requestOf(operation)}
    ${answersOf(Object.entries(operation.responses))}
  </section>`;
}

function heading({ operationId, summary }: Operation): Html {
  return html`<h3><a href="#${operationId}">${summary}</a></h3>`;
}

function permissionOf({ security }: Operation): Html {
  const [requirement] = security;
  if (requirement === undefined) {
    return html`Needs no API key.`;
  }
  if (!(apiKeyScheme in requirement)) {
    return html`Needs a session of the dashboard.`;
  }
  const scopes = Object.values(requirement).flat();
  return scopes.length === 0
    ? html`Needs a full API key.`
    : html`Needs a full API key, or the scope ${scopes.map((scope) => html`<code>${scope}</code>`)}.`;
}

function requestOf(operation: Operation): Html {
  const { parameters, requestBody } = operation;
  const body = requestBody?.content['application/json'];
  const rows = parameters.map(({ name, required, description = '', schema, in: place }) =>
    fieldRow(name, { ...schema, description }, required, place),
  );
  return html`${
    rows.length === 0
      ? ''
      : html`<h4>Parameters</h4>
          ${fieldTable(`Parameters: ${operation.summary}`, rows)}`
  }
  ${
    body === undefined
      ? ''
      : html`<h4>Body</h4>
          ${requestBody?.required === false ? html`<p>It may be left out.</p>` : ''}
          ${schemaOf(body.schema, `Body: ${operation.summary}`)}
          ${body.example === undefined ? '' : jsonBlock(`Example body: ${operation.summary}`, body.example)}`
  }`;
}

type Answers = readonly (readonly [status: string, response: object])[];

function answersOf(answers: Answers): Html {
  return html`${answers.map(([status, response]) => (isResponse(response) ? answerOf(status, response) : ''))}`;
}

function answerOf(status: string, { description, headers, content = {} }: Response): Html {
  const [[mediaType, { schema, example }] = ['', { schema: {} }]] = Object.entries(content);
  const names = Object.keys(headers).map((name) => html` <code>${name}</code>`);
  return html`<h4>Answer ${status}</h4>
    <p>${lineOf(description)}${mediaType === '' ? '' : html` <small>${mediaType}</small>`}</p>
    ${names.length === 0 ? '' : html`<p><small>Headers:${names}</small></p>`}
    ${mediaType === 'application/json' ? schemaOf(schema, `Answer ${status}`) : ''}
    ${example === undefined ? '' : jsonBlock(`Example of answer ${status}`, example)}`;
}

function isResponse(response: object): response is Response {
  return 'description' in response;
}

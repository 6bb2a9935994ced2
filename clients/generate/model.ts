/**
 * What a client library offers, for the emitter of each language. The model has the names of the API, such as
 * `startingAfter`: an emitter writes them in the style of its language.
 */
export interface Api {
  /** The groups of operations, such as `events`, in the order of the OpenAPI document. */
  readonly resources: readonly Resource[];
  /** Every type that an operation or a delivery refers to, in the order of the names. */
  readonly types: readonly NamedType[];
  /** The codes of all errors that the operations can return, sorted. The API adds codes without notice. */
  readonly errorCodes: readonly string[];
}

export interface Resource {
  /** The property of the client, such as `eventTypes`. */
  readonly name: string;
  readonly operations: readonly Operation[];
}

export interface Operation {
  /** The operation id of the OpenAPI document, such as `createEvent`. */
  readonly id: string;
  /** The method of the resource, such as `create`. */
  readonly name: string;
  readonly httpMethod: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with its parameters in braces, such as `/v1/events/{id}`. */
  readonly path: string;
  /** The parameters of the path, in its order. A value is percent-encoded. */
  readonly pathParameters: readonly Field[];
  /** The parameters of the query. A list is sent as a repeated parameter, a time as ISO 8601, null as `null`. */
  readonly queryParameters: readonly Field[];
  /** The JSON body, or null if the operation takes none. */
  readonly body: Body | null;
  /** Whether the operation takes the header `Idempotency-Key`. Each call has a key that its retries repeat. */
  readonly takesIdempotencyKey: boolean;
  /** A field that the method always sends as true, in addition to what the caller gives, or null. */
  readonly flag: { readonly place: 'query' | 'body'; readonly name: string } | null;
  readonly result: Result;
  readonly summary: string;
  /** What the operation does and which permission it needs, in CommonMark. */
  readonly description: string;
}

export interface Body {
  readonly type: TypeReference;
  /** Whether a call needs a body. Without a body the operation takes its defaults. */
  readonly isRequired: boolean;
}

/** The successful response. */
export type Result =
  | { readonly kind: 'single'; readonly type: TypeReference }
  /** One page of a list, which is `{data, hasMore}`. */
  | {
      readonly kind: 'page';
      readonly type: TypeReference;
      readonly item: TypeReference;
      /**
       * The field of the last item that `startingAfter` of the next page takes. A page with `searched.cursor`, which
       * may be empty, is continued at that cursor instead.
       */
      readonly cursor: string;
    }
  /** Server-sent events, each with an item. */
  | { readonly kind: 'stream'; readonly item: TypeReference };

export interface NamedType {
  readonly name: string;
  readonly description: string;
  /** Whether a request contains the type. A request has no other fields than those of the type. */
  readonly isInput: boolean;
  /** Whether a response or a delivery contains the type. The API adds fields and values to it without notice. */
  readonly isOutput: boolean;
  readonly definition: ObjectType | TypeReference;
}

export interface ObjectType {
  readonly kind: 'object';
  readonly fields: readonly Field[];
  /** The type of fields with other names, such as extensions of a CloudEvent, or null if the object has none. */
  readonly others: TypeReference | null;
}

/** A field of an object, or a parameter of an operation. */
export interface Field {
  readonly name: string;
  readonly type: TypeReference;
  readonly isRequired: boolean;
  readonly description: string;
}

export type TypeReference =
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'string'; readonly format: 'date-time' | 'date' | 'uri' | null }
  | { readonly kind: 'integer' }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'literals'; readonly values: readonly (string | boolean)[] }
  | { readonly kind: 'array'; readonly items: TypeReference }
  | { readonly kind: 'map'; readonly values: TypeReference }
  | { readonly kind: 'nullable'; readonly type: TypeReference }
  /** One of several named objects, which the field `discriminator` tells apart. */
  | { readonly kind: 'union'; readonly members: readonly TypeReference[]; readonly discriminator: string }
  /** Any JSON value. */
  | { readonly kind: 'json' }
  /** JSON that the service keeps byte for byte: an object, or any value. */
  | { readonly kind: 'rawJson'; readonly isObject: boolean };

/** A file that an emitter makes. */
export interface GeneratedFile {
  /** The path from the folder of the project. */
  readonly path: string;
  readonly text: string;
}

/** Makes the generated files of one language. */
export type Emit = (api: Api) => readonly GeneratedFile[];

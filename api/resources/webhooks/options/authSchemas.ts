import { z } from 'zod';

import {
  authenticationTypes,
  isPassword,
  isToken,
  isUsername,
  maximumCredentialLength,
  maximumPemLength,
  maximumTokenLength,
  scopePattern,
} from '../../../../shared/domain/webhooks/authentication.js';
import { maximumUrlLength } from '../../../../shared/domain/webhooks/webhook.js';
import { textSchema, timeSchema } from '../../../http/schemas.js';
import { mustBe } from '../../../http/validation.js';

const passwordSchema = textSchema(maximumCredentialLength).refine(
  isPassword,
  mustBe('text without control characters'),
);

/** A text that is not empty, and that is sent as part of a form or of Basic authentication. */
const credentialSchema = passwordSchema.min(1, mustBe('text of at least one character'));

const tokenUrlSchema = z.string().meta({
  description: 'The URL of the token endpoint, with the rules of the `url` of a webhook.',
  format: 'uri',
  maxLength: maximumUrlLength,
});
const scopeSchema = z
  .string()
  .max(maximumCredentialLength, mustBe(`at most ${String(maximumCredentialLength)} characters long`))
  .regex(scopePattern, mustBe('scopes that are separated by single spaces'));
const audienceSchema = credentialSchema.meta({
  description: 'The receiver for which tokens are requested, if the token endpoint requires it.',
});
const clientAuthenticationSchema = z.enum(['basic', 'body'], mustBe('basic or body')).meta({
  id: 'ClientAuthentication',
  description: 'Where the credentials of the client are in the request of a token. The default is `basic`.',
});
const pemSchema = z
  .string()
  .max(maximumPemLength, mustBe(`at most ${String(maximumPemLength)} characters long`));

const basicSchema = z
  .strictObject({
    type: z.literal('basic'),
    username: textSchema(maximumCredentialLength).refine(
      isUsername,
      mustBe('text of at least one character, without colons and control characters'),
    ),
    password: passwordSchema,
  })
  .meta({
    id: 'BasicAuthenticationRequest',
    description: 'Requests have the user name and the password (RFC 7617).',
  });

const bearerSchema = z
  .strictObject({
    type: z.literal('bearer'),
    token: z
      .string()
      .refine(isToken, mustBe(`1 to ${String(maximumTokenLength)} visible ASCII characters without spaces`))
      .meta({ describedAs: { type: 'string', minLength: 1, maxLength: maximumTokenLength } }),
  })
  .meta({ id: 'BearerAuthenticationRequest', description: 'Requests have the token (RFC 6750).' });

const oauthSchema = z
  .strictObject({
    type: z.literal('oauth2_client_credentials'),
    tokenUrl: tokenUrlSchema,
    clientId: credentialSchema,
    clientSecret: credentialSchema,
    scope: scopeSchema.optional(),
    audience: audienceSchema.optional(),
    clientAuthentication: clientAuthenticationSchema.optional(),
  })
  .meta({
    id: 'OAuthAuthenticationRequest',
    description:
      'Requests have a token that the service requests with the client credentials grant (RFC 6749 section 4.4), uses ' +
      'until shortly before it expires, and replaces after a 401.',
  });

const mutualTlsSchema = z
  .strictObject({
    type: z.literal('mtls'),
    certificate: pemSchema.meta({
      description:
        'The certificate of the client as PEM text, followed by those of intermediate authorities.',
    }),
    privateKey: pemSchema.meta({
      description: 'The private key of the certificate as PEM text, not encrypted.',
    }),
  })
  .meta({
    id: 'MutualTlsAuthenticationRequest',
    description: 'The service authenticates with a certificate when it connects to the webhook, by TLS.',
  });

const authDescription =
  'How the service authenticates at the webhook; null if it only signs its requests. The credentials are stored ' +
  'encrypted, and no response contains them. A change replaces all fields.';

/** The authentication in a request. */
export const givenAuthSchema = z
  .discriminatedUnion('type', [basicSchema, bearerSchema, oauthSchema, mutualTlsSchema], {
    error: ({ input }) =>
      typeof input === 'object' && !Array.isArray(input)
        ? `one of ${authenticationTypes.join(', ')}`
        : 'an object or null',
  })
  .meta({
    id: 'AuthenticationRequest',
    discriminator: {
      propertyName: 'type',
      mapping: {
        basic: '#/components/schemas/BasicAuthenticationRequest',
        bearer: '#/components/schemas/BearerAuthenticationRequest',
        oauth2_client_credentials: '#/components/schemas/OAuthAuthenticationRequest',
        mtls: '#/components/schemas/MutualTlsAuthenticationRequest',
      },
    },
  })
  .nullable()
  .meta({ description: authDescription });

/** The authentication in a response. */
export const shownAuthSchema = z
  .object({
    type: z.enum(authenticationTypes).meta({ id: 'AuthenticationType' }),
    updated: timeSchema.meta({ description: 'When the authentication was last changed.' }),
    tokenUrl: z.string().optional(),
    clientId: z.string().optional(),
    scope: z.string().optional(),
    audience: z.string().optional(),
    clientAuthentication: clientAuthenticationSchema.optional(),
    subject: z.string().optional().meta({ description: 'The subject of the certificate.' }),
    expires: timeSchema.optional().meta({ description: 'When the certificate expires.' }),
  })
  .meta({ id: 'WebhookAuthentication' })
  .nullable()
  .meta({
    description:
      'How the service authenticates at the webhook, without credentials; null if it only signs its requests. The ' +
      'fields after `updated` are those of `oauth2_client_credentials` and `mtls`.',
  });

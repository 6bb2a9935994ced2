import { z } from 'zod';

import { previewReasons } from '../../../shared/domain/webhooks/matching.js';
import {
  dataSchema,
  eventTenantSchema,
  eventTypeSchema,
  timeBoundSchema,
  timeSchema,
} from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';
import { givenOptions } from './options/optionSchemas.js';

/** The largest number of events that a candidate filter is tried on. */
export const maximumCheckedEvents = 10_000;
/** The largest number of samples of each kind. */
export const maximumSamplesOfKind = 10;

const conditionSchema = z.string().nullable().meta({
  description: 'The first condition of the filter that fails, such as `filter.data.amount`, or null.',
});

export const previewBody = z
  .strictObject({
    eventId: z.string().optional().meta({ description: 'The id of an event, for a preview of its request.' }),
    type: eventTypeSchema.optional().meta({ description: 'The type of an event that is made up.' }),
    data: dataSchema
      .optional()
      .meta({ description: 'The content of the made-up event. Required with `type`.' }),
    tenantId: eventTenantSchema.meta({ description: 'The tenant of the made-up event.' }),
    since: timeBoundSchema('above')
      .optional()
      .meta({ description: 'Try the filter on the events that were created at this time or later.' }),
    filter: givenOptions.filter.meta({
      ...givenOptions.filter.meta(),
      description:
        'The filter to try on the events since `since`. Without it, the filter of the webhook is tried; null tries none.',
    }),
  })
  .superRefine((body, context) => {
    const fault = combinationFault(body);
    if (fault !== null) {
      const { error: message, params } = mustBe(fault.rule);
      context.addIssue({ code: 'custom', message, params, path: [fault.name] });
    }
  })
  .meta({ id: 'PreviewWebhookRequest' });

export type PreviewBody = z.output<typeof previewBody>;

type Given = Readonly<Record<string, unknown>>;

/** The first fault of the combination of fields. */
function combinationFault(body: Given): { readonly name: string; readonly rule: string } | null {
  const given = (name: string) => body[name] !== undefined;
  const [way, another] = ['eventId', 'type', 'since'].filter(given);
  if (way === undefined || another !== undefined) {
    return { name: another ?? 'eventId', rule: `left out next to ${String(way)}` };
  }
  if (way === 'type' && !given('data')) {
    return { name: 'data', rule: 'given with type' };
  }
  const others = way === 'type' ? ['filter'] : ['data', 'tenantId', ...(way === 'since' ? [] : ['filter'])];
  const surplus = others.find(given);
  return surplus === undefined ? null : { name: surplus, rule: `left out next to ${way}` };
}

const reasonSchema = z
  .enum(previewReasons)
  .meta({ id: 'PreviewReason' })
  .nullable()
  .meta({
    description:
      'Why the webhook does not get the event: `tenant` and `type` are not those of the webhook, a condition of the ' +
      '`filter` fails, the event is a test delivery to another webhook (`test_delivery`), the webhook is disabled ' +
      '(`webhook_disabled`), or in test mode nothing is delivered (`test_mode`). Null if it matches.',
  });

const requestSchema = z
  .object({
    method: z.literal('POST'),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  })
  .meta({
    id: 'PreviewedRequest',
    description: 'The request that an attempt would send, with signatures and credentials masked.',
  });

const sampleSchema = z
  .object({
    eventId: z.string(),
    type: z.string(),
    created: timeSchema,
    matches: z.boolean(),
    condition: conditionSchema,
  })
  .meta({ id: 'PreviewSample' });

const countSchema = z.int().nonnegative();

export const eventPreviewSchema = z.object({
  matches: z
    .boolean()
    .meta({ description: 'Whether the webhook would get the event if it were posted now.' }),
  reason: reasonSchema,
  condition: conditionSchema,
  request: requestSchema,
});

export const historyPreviewSchema = z.object({
  checked: countSchema.meta({
    description: `The number of events that were checked, newest first: at most ${String(maximumCheckedEvents)}.`,
  }),
  matched: countSchema.meta({ description: 'The number of checked events for which the filter holds.' }),
  failed: countSchema.meta({
    description: 'The number of events that could not be checked. A filter never fails.',
  }),
  samples: z.array(sampleSchema).meta({
    description: `The newest checked events: at most ${String(maximumSamplesOfKind)} that match, and as many that do not.`,
  }),
  complete: z.boolean().meta({
    description: `Whether all events since \`since\`, or the newest ${String(maximumCheckedEvents)}, were checked in time.`,
  }),
});

/** One object instead of a union, because generators make no usable code from a union. */
export const previewSchema = eventPreviewSchema
  .partial()
  .extend(historyPreviewSchema.partial().shape)
  .meta({
    id: 'WebhookPreview',
    description:
      'With `eventId` or `type`: `matches`, `reason`, `condition` and `request`. With `since`: `checked`, `matched`, ' +
      '`failed`, `samples` and `complete`.',
  });

export const previewExample: z.output<typeof eventPreviewSchema> = {
  matches: false,
  reason: 'filter',
  condition: 'filter.data.total',
  request: {
    method: 'POST',
    url: 'https://example.com/webhooks',
    headers: {
      host: 'example.com',
      'content-length': '153',
      accept: '*/*',
      'content-type': 'application/json',
      'user-agent': 'Postrider/1.0',
      'webhook-id': 'evt_01M7YDPVFCXGPKVZ39MTD48GR5',
      'webhook-timestamp': '1795243601',
      'webhook-signature': 'v1,***',
    },
    body: '{"id":"evt_01M7YDPVFCXGPKVZ39MTD48GR5","type":"order.completed","timestamp":"2026-11-21T06:46:41.388Z","data":{"total":40}}',
  },
};

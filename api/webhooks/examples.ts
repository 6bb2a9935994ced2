/** What the API's description shows. A test checks each against its schema. */

export const webhookExample = {
  id: 'wh_01M7YDPTQM04NT3X3AX52TZD0R',
  url: 'https://example.com/webhooks',
  events: ['order.completed'],
  status: 'active',
  created: '2026-11-21T06:46:40.628Z',
  description: 'Shop',
  disabledReason: null,
  mode: 'live',
};

export const secretExample = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

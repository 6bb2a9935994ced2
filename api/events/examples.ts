/** What the API's description shows. A test checks each against its schema. */

export const orderData = { orderId: 'ord_1', amount: 4200, currency: 'eur' };

export const eventExample = {
  id: 'evt_01M7YDPVFCXGPKVZ39MTD48GR5',
  type: 'order.completed',
  created: '2026-11-21T06:46:41.388Z',
  data: orderData,
  deliveries: [
    {
      webhookId: 'wh_01M7YDPTQM04NT3X3AX52TZD0R',
      status: 'delivered',
      statusCode: 204,
      deliveredAt: '2026-11-21T06:46:41.440Z',
      attemptCount: 1,
      nextAttemptAt: null,
      error: null,
    },
  ],
  mode: 'live',
};

export const resentEventExample = {
  ...eventExample,
  deliveries: eventExample.deliveries.map((delivery) => ({
    ...delivery,
    status: 'pending',
    statusCode: null,
    deliveredAt: null,
  })),
};

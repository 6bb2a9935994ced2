/** Bounds the attempts in flight to each webhook, so that a slow one holds back its own deliveries alone. */
export interface WebhookSlots {
  /** Runs `attempt` once fewer than the limit are in flight to this webhook, in the order of the calls. */
  run: <Result>(webhookId: string, attempt: () => Promise<Result>) => Promise<Result>;
}

interface Slots {
  inFlight: number;
  readonly waiting: (() => void)[];
}

/** @param limit attempts in flight to one webhook */
export function createWebhookSlots(limit: number): WebhookSlots {
  const slotsByWebhook = new Map<string, Slots>();

  const release = (webhookId: string, slots: Slots) => {
    const next = slots.waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    slots.inFlight -= 1;
    if (slots.inFlight === 0) {
      slotsByWebhook.delete(webhookId);
    }
  };

  return {
    run: async (webhookId, attempt) => {
      const slots = slotsByWebhook.get(webhookId) ?? { inFlight: 0, waiting: [] };
      slotsByWebhook.set(webhookId, slots);
      if (slots.inFlight < limit) {
        slots.inFlight += 1;
      } else {
        // Whoever ends hands its slot on, so that `inFlight` stays as it is.
        await new Promise<void>((resolve) => slots.waiting.push(resolve));
      }
      try {
        return await attempt();
      } finally {
        release(webhookId, slots);
      }
    },
  };
}

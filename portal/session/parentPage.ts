/** A message to the page that embeds the portal. */
export type PortalMessage =
  | { readonly type: 'postrider:ready' }
  | { readonly type: 'postrider:resize'; readonly height: number }
  | { readonly type: 'postrider:session-expired' };

/** The page that embeds the portal. */
export interface ParentPage {
  readonly post: (message: PortalMessage) => void;
  /** Calls `onToken` for each token that the page passes. Returns a function that ends it. */
  readonly listen: (onToken: (token: string) => void) => () => void;
}

/**
 * The messages between the portal and the page that embeds it. A message is posted to each listed origin by name, so
 * that a page of another origin receives none. A token is accepted only from the parent window, and only if its origin
 * is listed. Without a parent, nothing is posted.
 */
export function createParentPage(self: Window, origins: readonly string[]): ParentPage {
  const isEmbedded = self.parent !== self;
  return {
    post: (message) => {
      if (isEmbedded) {
        for (const origin of origins) {
          self.parent.postMessage(message, origin);
        }
      }
    },
    listen: (onToken) => {
      const receive = ({ source, origin, data }: MessageEvent<unknown>) => {
        if (isEmbedded && source === self.parent && origins.includes(origin) && isTokenMessage(data)) {
          onToken(data.token);
        }
      };
      self.addEventListener('message', receive);
      return () => {
        self.removeEventListener('message', receive);
      };
    },
  };
}

function isTokenMessage(data: unknown): data is { readonly token: string } {
  return (
    typeof data === 'object' &&
    data !== null &&
    'type' in data &&
    data.type === 'postrider:token' &&
    'token' in data &&
    typeof data.token === 'string'
  );
}

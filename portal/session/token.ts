/** A window, whose storage is missing in a frame if the browser blocks the storage of other sites. */
interface TokenHolder {
  readonly location: { readonly pathname: string };
  /** Reading the property throws an error if the storage is blocked. */
  readonly sessionStorage: {
    readonly getItem: (key: string) => string | null;
    readonly setItem: (key: string, value: string) => void;
  };
}

/** The parts of a window that the token of a session is taken from. */
interface TokenSource extends TokenHolder {
  readonly location: { readonly hash: string; readonly pathname: string; readonly search: string };
  readonly history: { readonly replaceState: (state: null, title: string, address: string) => void };
}

/** The key of the token in the storage. A tab may open the portals of several accounts, whose paths differ. */
const keyOf = ({ location }: TokenHolder) => `postrider.portal-token:${location.pathname}`;
const fragmentForm = /^#token=([A-Za-z0-9_-]+)$/;

/**
 * The token of the portal session, from the fragment of the address or from an earlier load of the same tab. The
 * fragment is replaced, so that the token is in no address that the user copies.
 */
export function takeToken(source: TokenSource): string | null {
  const { location, history } = source;
  const token = fragmentForm.exec(location.hash)?.[1] ?? null;
  if (token === null) {
    return readStored(source);
  }
  history.replaceState(null, '', `${location.pathname}${location.search}#/endpoints`);
  storeToken(source, token);
  return token;
}

/** Keeps the token for a reload of the tab. Never in a cookie, which browsers block in pages of another origin. */
export function storeToken(holder: TokenHolder, token: string): void {
  try {
    holder.sessionStorage.setItem(keyOf(holder), token);
  } catch {
    // Without storage, the session lasts until the page is loaded again.
  }
}

function readStored(holder: TokenHolder): string | null {
  try {
    return holder.sessionStorage.getItem(keyOf(holder));
  } catch {
    return null;
  }
}

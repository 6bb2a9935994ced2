import { setAccent } from '../../dashboard/appearance/accentStyle.js';

/** How an account wants its portal to look, and which pages may embed it. */
export interface Appearance {
  /** The name of the platform, or null. */
  readonly name: string | null;
  readonly logoUrl: string | null;
  /** A color such as `#3a4fd0`, or null for the default color. */
  readonly accentColor: string | null;
  readonly colorScheme: ColorScheme;
  /** The origins of pages that may embed the portal. */
  readonly origins: readonly string[];
}

export type ColorScheme = 'auto' | 'light' | 'dark';

const plain: Appearance = {
  name: null,
  logoUrl: null,
  accentColor: null,
  colorScheme: 'auto',
  origins: [],
};

/** The appearance that the service has written into the page. An unknown account has the plain appearance. */
export function appearanceIn(page: Document): Appearance {
  const content = page.querySelector<HTMLMetaElement>('meta[name="postrider-portal"]')?.content ?? '';
  // The service of this installation has written the text, so its form is known.
  return content === '' ? plain : { ...plain, ...(JSON.parse(content) as Partial<Appearance>) };
}

/** Applies an appearance to the page. */
export function applyAppearance({ accentColor, colorScheme, name }: Appearance, page: Document): void {
  const root = page.documentElement;
  if (colorScheme !== 'auto') {
    root.dataset['theme'] = colorScheme;
  }
  if (name !== null) {
    page.title = `${name} · Webhooks`;
  }
  setAccent(root, accentColor);
}

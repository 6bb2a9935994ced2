import type { PortalSettings } from '../api/types.js';

/** The texts in the form of the portal's settings. */
export interface PortalFields {
  readonly name: string;
  readonly logoUrl: string;
  readonly accentColor: string;
  readonly colorScheme: PortalSettings['colorScheme'];
  /** One origin per line. */
  readonly origins: string;
}

const colorForm = /^#[0-9A-Fa-f]{6}$/;
const maximumOrigins = 20;

export function fieldsOf({ name, logoUrl, accentColor, colorScheme, origins }: PortalSettings): PortalFields {
  return {
    name: name ?? '',
    logoUrl: logoUrl ?? '',
    accentColor: accentColor ?? '',
    colorScheme,
    origins: origins.join('\n'),
  };
}

/** The settings in a request. An empty text is null, so that the portal has its default. */
export function inputOf({ name, logoUrl, accentColor, colorScheme, origins }: PortalFields) {
  return {
    name: textOrNull(name),
    logoUrl: textOrNull(logoUrl),
    accentColor: textOrNull(accentColor),
    colorScheme,
    origins: originsIn(origins),
  };
}

/** The accent color for the preview, or null for the default color. */
export function accentOf({ accentColor }: Pick<PortalFields, 'accentColor'>): string | null {
  return colorForm.test(accentColor.trim()) ? accentColor.trim().toLowerCase() : null;
}

export type PortalField = keyof PortalFields;

export type PortalFaults = Readonly<Record<PortalField, string | null>>;

/** The errors of the form, by the rules of the API that need no URL parser. The API checks the rest. */
export function faultsOf({ accentColor, origins }: PortalFields): PortalFaults {
  const isColor = accentColor.trim() === '' || colorForm.test(accentColor.trim());
  return {
    ...noFaults,
    accentColor: isColor ? null : 'Enter a color such as #3a4fd0.',
    origins: originsIn(origins).length > maximumOrigins ? `Enter at most ${maximumOrigins} origins.` : null,
  };
}

export const noFaults: PortalFaults = {
  name: null,
  logoUrl: null,
  accentColor: null,
  colorScheme: null,
  origins: null,
};

/** The field that an error of the API is about: `origins` for `portal.origins[1]`. Null for any other error. */
export function fieldOf(param: string | null): PortalField | null {
  const [root, field = ''] = (param ?? '').split(/[.[]/);
  return root === 'portal' && isField(field) ? field : null;
}

function isField(name: string): name is PortalField {
  return Object.hasOwn(noFaults, name);
}

function originsIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((origin) => origin !== ''))];
}

function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

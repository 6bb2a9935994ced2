import { elementTexts, memberText } from '../api/jsonText.js';

export type ExportFormat = 'csv' | 'json';

/** The JSON texts of the resources in a list response. The texts keep every digit of the numbers. */
export function rowTexts(listText: string): readonly string[] {
  return elementTexts(memberText(listText, 'data') ?? '[]');
}

/** @param rows the JSON text of each resource */
export function jsonExport(rows: readonly string[]): string {
  return rows.length === 0 ? '[]\n' : `[\n${rows.join(',\n')}\n]\n`;
}

/**
 * A table in CSV (RFC 4180) with one column for each name. A nested value is JSON text.
 * @param rows the JSON text of each resource
 */
export function csvExport(columns: readonly string[], rows: readonly string[]): string {
  const lines = rows.map((row) => columns.map((name) => csvField(valueText(memberText(row, name)))));
  return [columns.map(csvField), ...lines].map((fields) => `${fields.join(',')}\r\n`).join('');
}

function valueText(json: string | null): string {
  if (json === null || json === 'null') {
    return '';
  }
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

/** A first character that makes spreadsheet programs treat a field as a formula. */
const formula = /^[=+\-@\t\r]/;
const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

function csvField(text: string): string {
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

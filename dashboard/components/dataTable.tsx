import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Whether the column identifies the row and takes the remaining width. */
  readonly isMain?: boolean;
  readonly isNumber?: boolean;
  /** Whether the column is hidden on pages of medium width. */
  readonly isMinor?: boolean;
  /** Whether the column contains buttons. The heading of such a column is for screen readers only. */
  readonly isActions?: boolean;
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Whether a row appeared while the page is open. */
  readonly hasArrived?: (row: Row) => boolean;
}

/**
 * A table with column headings. On a narrow page each row is a card. The ARIA roles are explicit, because browsers drop
 * the roles of a table with another layout.
 */
export function DataTable<Row>({ caption, columns, rows, keyOf, hasArrived }: DataTableProps<Row>) {
  return (
    <table class="table" role="table">
      <caption class="hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column.name} scope="col" role="columnheader" class={cellClass(column)}>
              {column.isActions === true ? <span class="hidden">{column.name}</span> : column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row" class={hasArrived?.(row) === true ? 'arrived' : ''}>
            {columns.map((column) => (
              <td
                key={column.name}
                role="cell"
                class={cellClass(column)}
                data-label={column.isMain === true || column.isActions === true ? undefined : column.name}
              >
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function cellClass<Row>({ isMain, isNumber, isActions, isMinor }: Column<Row>): string {
  return [
    isMain === true ? 'main' : '',
    isNumber === true ? 'number' : '',
    isActions === true ? 'row-actions' : '',
    isMinor === true ? 'minor' : '',
  ]
    .filter((name) => name !== '')
    .join(' ');
}

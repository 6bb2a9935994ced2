import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** The one that says which row it is; it comes first and gets the room that others leave. */
  readonly isMain?: boolean;
  readonly isNumber?: boolean;
  /** Left out where a page is neither wide nor narrow enough for cards. */
  readonly isMinor?: boolean;
  /** Buttons, whose heading only those need who listen. */
  readonly isActions?: boolean;
}

interface DataTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Rows that have come while somebody looks. */
  readonly hasArrived?: (row: Row) => boolean;
}

/**
 * A table; on a narrow page each row is a card. Its roles are spelled out: browsers take a table's own away where it is laid
 * out as something else.
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

import { Download } from 'lucide';
import { useState } from 'preact/hooks';

import { useAction } from '../api/useAction.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { SelectField } from '../components/selectField.js';
import { counted } from '../components/timeText.js';
import { csvExport, jsonExport, rowTexts, type ExportFormat } from './exportText.js';

/** A page of a list as JSON text, after the resource with an id or from the start of the list. */
export type ReadText = (after: string | null) => Promise<string>;

interface ExportButtonProps {
  /** The name of the file and of the resources, such as `events`. */
  readonly what: string;
  readonly columns: readonly string[];
  readonly read: ReadText;
}

const formats = [
  ['csv', 'CSV'],
  ['json', 'JSON'],
] as const;

const mimeTypes = { csv: 'text/csv', json: 'application/json' } as const;

/** The most rows of an export. A browser holds the whole export in memory. */
const mostRows = 10_000;

/** The page size of an export, the largest of the API. */
export const exportLimit = 100;

/** The parameters of an address without its page, because an export begins with the newest resource. */
export function withoutPage(parameters: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...parameters].filter(([name]) => name !== 'after' && name !== 'before'));
}

/** A button that downloads the list of the page, with its filters, as a file. */
export function ExportButton(props: ExportButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={Download} onClick={() => setOpen(true)}>
        Export
      </Button>
      {isOpen && (
        <Dialog title={`Export ${props.what}`} onClose={() => setOpen(false)}>
          <ExportForm {...props} onDone={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function ExportForm({ what, columns, read, onDone }: ExportButtonProps & { readonly onDone: () => void }) {
  const announce = useAnnounce();
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [count, setCount] = useState(0);
  const run = useAction(async () => {
    const { rows, isComplete } = await readRows(read, setCount);
    download(
      `${what}.${format}`,
      mimeTypes[format],
      format === 'csv' ? csvExport(columns, rows) : jsonExport(rows),
    );
    announce(`${counted(rows.length, 'row')} exported.${isComplete ? '' : ' The list has more rows.'}`);
    onDone();
  });
  return (
    <Form onSubmit={run.run}>
      <p>The file contains the newest {counted(mostRows, 'row')} that match the filters of the page.</p>
      <SelectField label="Format" value={format} options={formats} onChange={setFormat} />
      <FailureNotice failure={run.failure} />
      <div class="dialog-actions">
        <span role="status">{run.isRunning && `${counted(count, 'row')} read …`}</span>
        <Button type="submit" kind="primary" isBusy={run.isRunning}>
          Download
        </Button>
      </div>
    </Form>
  );
}

/** The end of a page. `cursor` is present if the API has ended the page early, also without any row. */
interface PageEnd {
  readonly hasMore?: boolean;
  readonly searched?: { readonly cursor?: string };
}

/** Reads a list page by page. The rows are incomplete if the list has more rows than an export. */
async function readRows(read: ReadText, onCount: (count: number) => void) {
  const rows: string[] = [];
  let after: string | null = null;
  for (;;) {
    const text: string = await read(after);
    rows.push(...rowTexts(text));
    onCount(rows.length);
    const end = JSON.parse(text) as PageEnd;
    const hasMore = end.hasMore === true;
    if (!hasMore || rows.length >= mostRows) {
      return { rows: rows.slice(0, mostRows), isComplete: !hasMore && rows.length <= mostRows };
    }
    after = cursorOf(end, rows);
  }
}

/** The cursor of the next page. */
function cursorOf({ searched }: PageEnd, rows: readonly string[]): string {
  return searched?.cursor ?? (JSON.parse(rows.at(-1) ?? '{}') as { readonly id: string }).id;
}

function download(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  const address = URL.createObjectURL(new Blob([text], { type }));
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

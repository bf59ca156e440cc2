import { cited, type TextLine } from '../text/lines.ts';
import { parseTimeOfDay } from '../text/when.ts';
import { mib, SMI_FILE, type SmiFinding, type SmiForm } from './smi-observation.ts';

const HEADER = /^#?\s*(?:date[\s,]+)?(?:time[\s,]+)?gpu[\s,]+(?:pid|pwr|gtemp|temp|sm|mem|fb|rxpci|mclk|pviol)\b/i;
// `--format csv` puts commas.
const BETWEEN = /\s*,\s*|\s+/;
const DAY_MS = 86_400_000;

type Row = ReadonlyMap<string, string>;

/** Output of `nvidia-smi dmon` and `nvidia-smi pmon`. The header lines begin with `#` and name the columns. */
export class SmiMonitor implements SmiForm {
  #columns: readonly string[] | undefined;
  #day = 0;
  #last = 0;

  take(line: TextLine): SmiFinding | undefined {
    const text = line.text.trim();
    if (HEADER.test(text)) {
      this.#columns = text.replace(/^#\s*/, '').toLowerCase().split(BETWEEN);
      return {};
    }
    if (this.#columns === undefined || text.startsWith('#')) return undefined;
    const cells = text.split(BETWEEN);
    // The command of pmon may hold blanks.
    if (cells.length < this.#columns.length) return undefined;
    const row = new Map(this.#columns.map((column, i) => [column, cells[i] ?? '']));
    if (!/^\d{1,3}$/.test(row.get('gpu') ?? '')) return undefined;
    return row.has('pid') ? processOf(row, line) : this.#deviceOf(row, line);
  }

  #deviceOf(row: Row, line: TextLine): SmiFinding {
    const at = this.#timeOf(row);
    return {
      gpus: [
        {
          index: Number(row.get('gpu')),
          used: mib(row.get('fb'), line),
          ...(at === undefined ? {} : { at }),
        },
      ],
    };
  }

  #timeOf(row: Row): number | undefined {
    const time = parseTimeOfDay(row.get('time') ?? '');
    if (time === undefined) return undefined;
    const date = /^(\d{4})(\d{2})(\d{2})$/.exec(row.get('date') ?? '');
    if (date !== null) return Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3])) + time;
    // Without a date only the time of the day is known, and the night may be passed.
    if (time + this.#day < this.#last - DAY_MS / 2) this.#day += DAY_MS;
    this.#last = time + this.#day;
    return this.#last;
  }
}

function processOf(row: Row, line: TextLine): SmiFinding {
  const pid = row.get('pid') ?? '';
  if (!/^\d{1,9}$/.test(pid)) return {};
  const name = row.get('command') ?? row.get('name');
  const used = mib(row.get('fb'), line);
  return {
    processes: [
      { gpu: Number(row.get('gpu')), pid: Number(pid), name: name && cited(name, SMI_FILE, line).value, used },
    ],
  };
}

import { parseSize } from '../../model/quantity.ts';
import { citeLine, type LabelledLine, type TextLine } from '../text/lines.ts';
import { METRICS_FILE, type MetricSample } from './exposition.ts';
import { seriesFrom, type TextSeries } from './text-series.ts';

// What the column is, under the name that cAdvisor has for it.
const WORKING_SET = 'container_memory_working_set_bytes';
// Namespace and pod stand in columns of their own with --all-namespaces and --containers.
const HEAD = /^((?:NAMESPACE\s+)?(?:POD\s+)?)NAME\s+CPU\(cores\)\s+MEMORY\(bytes\)/;
const ROW = /^((?:\S+\s+){1,3})\d+m\s+(\d+[KMG]i)$/;

/** The rows of `kubectl top pod`, printed once or again and again. */
export class TopRows {
  readonly #rows: MetricSample[] = [];
  #columns: readonly string[] = ['pod'];

  take(line: TextLine): boolean {
    const text = line.text.trim();
    const [, before] = HEAD.exec(text) ?? [];
    if (before !== undefined) {
      const named = before.toLowerCase().split(/\s+/).filter(Boolean);
      this.#columns = [...named, named.includes('pod') ? 'container' : 'pod'];
      return true;
    }
    const [, names = '', size = ''] = ROW.exec(text) ?? [];
    if (size === '') return false;
    const cells = names.trim().split(/\s+/).slice(-this.#columns.length);
    const labels = Object.fromEntries(cells.map((cell, at) => [this.#columns[at], cell]));
    const value = parseSize(size) ?? 0;
    this.#rows.push({ name: WORKING_SET, labels, value, at: undefined, from: citeLine(METRICS_FILE, line) });
    return true;
  }

  /** The working set as printed. */
  samples(): readonly MetricSample[] {
    return this.#rows;
  }

  /** The working set of each pod or container that is there more than once. */
  series(): readonly TextSeries[] {
    const groups = Map.groupBy(this.#rows, ({ labels }) => JSON.stringify(labels));
    return [...groups.values()].flatMap((rows) =>
      seriesFrom(
        { id: 'container.memory.working-set', unit: 'bytes', labels: rows[0]?.labels ?? {} },
        rows.map((sample) => ({ at: undefined, sample })),
      ),
    );
  }

  labelled(): readonly LabelledLine[] {
    return this.#rows.map(({ labels, from }) => ({ name: '', labels, line: from.line }));
  }
}

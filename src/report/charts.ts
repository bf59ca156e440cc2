import type { Block } from '../model/message.ts';
import { GIB } from '../model/quantity.ts';
import type { Series, SeriesFile } from '../model/snapshot.ts';

const MOST = 6;

type Line = { readonly name: string; readonly points: [number, number][] };

/** RAM against its limit, and GPU memory by GPU, in GiB; nothing where there is no series. */
export function charts(file: SeriesFile | undefined): Block[] {
  if (file === undefined) return [];
  const ram = [
    ...linesOf(file, 'container.memory.working-set', 'used'),
    ...linesOf(file, 'container.memory.limit', 'limit'),
  ];
  const gpu = linesOf(file, 'gpu.framebuffer.used', 'GPU');
  return [...chart('Container RAM', ram), ...chart('GPU memory in use', gpu)];
}

function chart(title: string, series: readonly Line[]): Block[] {
  const shown = series.filter(({ points }) => points.length > 1).slice(0, MOST);
  return shown.length === 0 ? [] : [{ kind: 'chart', title, unit: 'GiB', series: shown }];
}

function linesOf(file: SeriesFile, id: string, name: string): Line[] {
  const found = file.series.filter((series) => series.id === id);
  return found.map((series, i) => ({
    name: found.length === 1 ? name : `${name} ${series.labels.gpu ?? series.labels.container ?? i}`,
    points: series.points
      .map(([at, value]): [number, number] => [at, inGib(value, series)])
      .filter((point) => point.every(Number.isFinite)),
  }));
}

function inGib(value: number, { unit }: Series): number {
  const bytes = /mib/i.test(unit) ? value * 2 ** 20 : value;
  return Math.round((bytes / GIB) * 100) / 100;
}

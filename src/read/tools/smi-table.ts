import { cited, type TextLine } from '../text/lines.ts';
import { mib, SMI_FILE, type SmiFinding, type SmiForm, type SmiObservation } from './smi-observation.ts';

// `|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:07:00.0 Off |`; the persistence column is cut off for long names.
const DEVICE = /^\|\s+(\d{1,3})\s+(\S.*?)(?:\s+(?:On|Off|N\/A|\.\.\.))?\s*\|\s+[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:/;
const USAGE = /\|\s*(\d+)\s?MiB\s*\/\s*(\d+)\s?MiB\s*\|/;
// What has no memory of its own (GB10) shows none: `| N/A   67C    P0   16W /  N/A  | Not Supported   |   0%   Default |`.
const NO_USAGE = /^\|\s+\S+\s+\d{1,3}C\b[^|]*\|\s*(?:Not Supported|\[?N\/A\]?)\s*\|/;
const TEMPERATURE = /^\|\s+\S+\s+\d{1,3}C\b/;
// `|  0    7   0   0  |     12MiB / 9856MiB    |`: GPU, GI, CI, MIG device.
const MIG = /^\|\s+(\d{1,3})\s+(\d+)\s+(\d+)\s+\d+\s+\|\s+(\d+)\s?MiB\s*\/\s*(\d+)\s?MiB/;
// GPU, GI, CI (newer drivers), PID, type, name, memory.
const PROCESS =
  /^\|\s+(\d{1,3})\s+(?:(?:N\/A|\d+)\s+(?:N\/A|\d+)\s+)?(\d+)\s+(?:C|G|C\+G|M\+C)\s+(\S.*?)\s+(?:(\d+)\s?MiB|N\/A)\s*\|/;
const DRIVER = /Driver Version:/;
// npu-smi: device and chip, bus, then `0 / 0` pages and `59792/ 65536` MB of HBM.
const NPU = /^\|\s+(\d{1,3})\b.*\|\s+[0-9A-Fa-f]{4}:[0-9A-Fa-f]{2}:[^|]*\|.*?(\d{2,})\s*\/\s*(\d{4,})\s*\|/;
const NPU_PROCESS = /^\|\s+(\d{1,3})\s+\d+\s+\|\s+(\d+)\s+\|\s+(\S+)\s+\|\s+(\d+)\s+\|/;

type Device = { readonly index: number; readonly name: string; readonly line: TextLine };

/** The framed table of nvidia-smi, of any driver version, and of npu-smi. A device takes two rows. */
export class SmiTable implements SmiForm {
  #device: Device | undefined;

  take(line: TextLine): SmiFinding | undefined {
    const text = line.text.trimStart();
    if (!text.startsWith('|')) return undefined;
    return this.#header(text, line) ?? this.#usage(text, line) ?? process(text, line) ?? npu(text, line);
  }

  #header(text: string, line: TextLine): SmiFinding | undefined {
    if (DRIVER.test(text)) return { isHeader: true };
    const device = DEVICE.exec(text);
    if (device === null) return undefined;
    this.#device = { index: Number(device[1]), name: device[2] ?? '', line };
    // npu-smi has the usage in the row of the bus, and so has whoever puts both rows together.
    return npu(text, line) ?? this.#usage(text, line) ?? {};
  }

  #usage(text: string, line: TextLine): SmiFinding | undefined {
    const mig = MIG.exec(text);
    if (mig !== null) return { gpus: [sliceOf(mig, line)] };
    const usage = USAGE.exec(text);
    const device = this.#device;
    if (usage === null) return this.#withoutUsage(text);
    this.#device = undefined;
    // Without a device above it stands the BAR1 row of a MIG slice, or a single row that somebody cut out.
    if (device === undefined && !TEMPERATURE.test(text)) return {};
    return {
      gpus: [
        {
          index: device?.index,
          ...(device === undefined ? {} : { name: cited(device.name, SMI_FILE, device.line) }),
          used: mib(usage[1], line),
          total: mib(usage[2], line),
        },
      ],
    };
  }

  #withoutUsage(text: string): SmiFinding | undefined {
    const device = this.#device;
    if (!NO_USAGE.test(text) || device === undefined) return undefined;
    this.#device = undefined;
    const { index, name } = device;
    return { gpus: [{ index, name: cited(name, SMI_FILE, device.line) }] };
  }
}

function sliceOf([, gpu, gi, ci, used, total]: RegExpExecArray, line: TextLine): SmiObservation {
  return { index: Number(gpu), slice: `${gi}/${ci}`, used: mib(used, line), total: mib(total, line) };
}

function process(text: string, line: TextLine): SmiFinding | undefined {
  const match = PROCESS.exec(text);
  if (match === null) return undefined;
  const [, gpu, pid, name, used] = match;
  return { processes: [{ gpu: Number(gpu), pid: Number(pid), name, used: mib(used, line) }] };
}

function npu(text: string, line: TextLine): SmiFinding | undefined {
  const match = NPU.exec(text);
  if (match !== null) {
    return { gpus: [{ index: Number(match[1]), used: mib(match[2], line), total: mib(match[3], line) }] };
  }
  const owner = NPU_PROCESS.exec(text);
  if (owner === null) return undefined;
  const [, gpu, pid, name, used] = owner;
  return { processes: [{ gpu: Number(gpu), pid: Number(pid), name, used: mib(used, line) }] };
}

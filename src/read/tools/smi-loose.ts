import { parseSize } from '../../model/quantity.ts';
import { cited, type TextLine } from '../text/lines.ts';
import { SMI_FILE, type SmiFinding, type SmiForm, type SmiProcess } from './smi-observation.ts';

const SIZE = String.raw`\d{1,9}(?:\.\d+)?\s?[MG]i?B`;
// `0: NVIDIA GeForce RTX 5090 32607MiB`, `GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-...)`.
// `80GB` belongs to the name of the card: a total has four digits or more, or a binary unit behind a blank.
const LISTED =
  /^(?:GPU\s*)?#?(\d{1,3})\s*[:|]\s*((?:NVIDIA|Tesla|Quadro|GeForce|AMD|RTX|A\d|H\d|L\d)[^,(|]*?)(?:[\s,|(]+(\d{1,9}(?:\.\d+)?\s?[MG]iB|\d{4,9}\s?MB))?\s*(?:\(.*)?\)?$/i;
// `75000MiB / 81920MiB`, `used 75000 / 81920 MiB`.
const PAIR = /(\d{1,9}(?:\.\d+)?)\s?([MG]i?B)?\s*(?:\/|of)\s*(\d{1,9}(?:\.\d+)?)\s?([MG]i?B)/i;
const INDEX = /\bGPU\s*#?(\d{1,3})\b|^\s*\[?(\d{1,2})\]?[:\s]/i;
const OWNER = new RegExp(String.raw`^(?:pid\s*[:=]?\s*)?(\d{2,9})\s+(?:(\S.*?)\s+)?(${SIZE})$`, 'i');
const FIELD = /^([A-Z][\w ]*?)\s*:\s+(\S.*)$/;

/** `nvidia-smi -q`, `nvidia-smi -L`, and what people write by hand: one device or process to a line. */
export class SmiLoose implements SmiForm {
  #section = '';
  #index = -1;
  #pid: number | undefined;
  #name: string | undefined;

  take(line: TextLine): SmiFinding | undefined {
    const text = line.text.trim();
    return this.#query(text, line) ?? listed(text, line) ?? pair(text, line) ?? owner(text, line);
  }

  // `nvidia-smi -q` prints a section a quantity; only the framebuffer's is the memory of the device.
  #query(text: string, line: TextLine): SmiFinding | undefined {
    if (/^GPU [0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:/.test(text)) {
      this.#index += 1;
      return {};
    }
    if (/ Memory Usage$/.test(text) || text === 'Utilization' || text === 'Processes') {
      this.#section = text;
      return {};
    }
    const field = FIELD.exec(text);
    return field === null || this.#index < 0 ? undefined : this.#field(field[1] ?? '', field[2] ?? '', line);
  }

  #field(key: string, value: string, line: TextLine): SmiFinding | undefined {
    const index = this.#index;
    if (key === 'Product Name') return { gpus: [{ index, name: cited(value, SMI_FILE, line) }] };
    if (key === 'Process ID') this.#pid = Number(value);
    if (key === 'Name') this.#name = value;
    const bytes = parseSize(value);
    if (bytes === undefined) return undefined;
    const size = cited(bytes, SMI_FILE, line);
    if (key === 'Used GPU Memory' && this.#pid !== undefined) {
      return { processes: [{ gpu: index, pid: this.#pid, name: this.#name, used: size }] };
    }
    if (this.#section !== 'FB Memory Usage') return {};
    const name = ({ Total: 'total', Used: 'used', Free: 'free' } as const)[key];
    return name === undefined ? {} : { gpus: [{ index, [name]: size }] };
  }
}

function listed(text: string, line: TextLine): SmiFinding | undefined {
  const match = LISTED.exec(text);
  if (match === null) return undefined;
  const total = match[3] === undefined ? undefined : parseSize(match[3]);
  return {
    gpus: [
      {
        index: Number(match[1]),
        name: cited((match[2] ?? '').trim(), SMI_FILE, line),
        ...(total === undefined ? {} : { total: cited(total, SMI_FILE, line) }),
      },
    ],
  };
}

function pair(text: string, line: TextLine): SmiFinding | undefined {
  const match = PAIR.exec(text);
  if (match === null) return undefined;
  const [, used = '', usedUnit, total = '', unit = ''] = match;
  const index = INDEX.exec(text.slice(0, match.index));
  const bytes = parseSize(`${total} ${unit}`);
  const usedBytes = parseSize(`${used} ${usedUnit ?? unit}`);
  if (bytes === undefined || usedBytes === undefined || usedBytes > bytes) return undefined;
  const digits = index?.[1] ?? index?.[2];
  return {
    gpus: [
      {
        index: digits === undefined ? undefined : Number(digits),
        used: cited(usedBytes, SMI_FILE, line),
        total: cited(bytes, SMI_FILE, line),
      },
    ],
  };
}

function owner(text: string, line: TextLine): SmiFinding | undefined {
  const match = OWNER.exec(text);
  if (match === null) return undefined;
  const bytes = parseSize(match[3] ?? '');
  if (bytes === undefined) return undefined;
  const process: SmiProcess = {
    gpu: undefined,
    pid: Number(match[1]),
    name: match[2],
    used: cited(bytes, SMI_FILE, line),
  };
  return { processes: [process] };
}

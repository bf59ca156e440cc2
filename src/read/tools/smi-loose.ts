import { parseSize } from '../../model/quantity.ts';
import { cited, type TextLine } from '../text/lines.ts';
import { SMI_FILE, type SmiFinding, type SmiForm, type SmiProcess } from './smi-observation.ts';

// `GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-...)`.
// `80GB` belongs to the name of the GPU: a total has four digits or more, or a binary unit behind a blank.
const LISTED =
  /^(?:GPU\s*)?#?(\d{1,3})\s*[:|]\s*((?:NVIDIA|Tesla|Quadro|GeForce|AMD|RTX|A\d|H\d|L\d)[^,(|]*?)(?:[\s,|(]+(\d{1,9}(?:\.\d+)?\s?[MG]iB|\d{4,9}\s?MB))?\s*(?:\(.*)?\)?$/i;
// Number, name and size of a process, without the frame.
const OWNER = /^(\d{2,9})\s+(?:(\S.*?)\s+)?(\d{1,9}(?:\.\d+)?\s?[MG]i?B)$/i;
const FIELD = /^([A-Z][\w ]*?)\s*:\s+(\S.*)$/;

/** `nvidia-smi -q`, `nvidia-smi -L` and rows of processes: one device, figure or process to a line. */
export class SmiLoose implements SmiForm {
  #section = '';
  #index = -1;
  #instance = '';
  #slice: string | undefined;
  #pid: number | undefined;
  #name: string | undefined;

  take(line: TextLine): SmiFinding | undefined {
    const text = line.text.trim();
    return this.#query(text, line) ?? listed(text, line) ?? owner(text, line);
  }

  // `nvidia-smi -q` prints a section a quantity; only the framebuffer's is the memory of the device.
  #query(text: string, line: TextLine): SmiFinding | undefined {
    if (/^GPU [0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:/.test(text)) {
      this.#index += 1;
      this.#slice = undefined;
      return {};
    }
    // The memory of a slice stands before this section, that of the whole GPU behind all slices.
    if (text === 'BAR1 Memory Usage') this.#slice = undefined;
    if (/ Memory Usage$/.test(text) || text === 'Utilization' || text === 'Processes') {
      this.#section = text;
      return {};
    }
    const field = FIELD.exec(text);
    return field === null || this.#index < 0 ? undefined : this.#field(field[1] ?? '', field[2] ?? '', line);
  }

  #field(key: string, value: string, line: TextLine): SmiFinding | undefined {
    const index = this.#index;
    if (key === 'GPU Instance ID') this.#instance = value;
    if (key === 'Compute Instance ID') this.#slice = `${this.#instance}/${value}`;
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
    return name === undefined ? {} : { gpus: [{ index, [name]: size, ...(this.#slice && { slice: this.#slice }) }] };
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

function owner(text: string, line: TextLine): SmiFinding | undefined {
  const [, pid, name, size = ''] = OWNER.exec(text) ?? [];
  const bytes = parseSize(size);
  if (bytes === undefined) return undefined;
  const process: SmiProcess = { gpu: undefined, pid: Number(pid), name, used: cited(bytes, SMI_FILE, line) };
  return { processes: [process] };
}

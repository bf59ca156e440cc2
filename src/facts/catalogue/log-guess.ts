import type { FactEntry } from '../../model/fact.ts';
import { Cause } from '../../model/taxonomy.ts';
import { LOG, STATUS } from './needs.ts';

/** What the last lines and the notes of people suggest where no line decides. */
export const LOG_GUESSES: readonly FactEntry[] = [
  {
    id: 'log.likely-plane',
    unit: 'choice',
    values: ['gpu', 'host', 'none', 'nothing'],
    says: 'memory that the words of the last lines or of remarks point to',
    needs: LOG,
  },
  {
    id: 'log.cut-plane',
    unit: 'choice',
    values: ['gpu', 'host', 'nothing'],
    says: 'memory that the last line was about to name where it breaks off',
    needs: LOG,
  },
  {
    id: 'log.remark',
    unit: 'text',
    says: 'the remark that this rests on, where no line of a log points anywhere',
    needs: 'what people noted of the incident (remarks in its files)',
  },
  {
    id: 'log.remark-names',
    unit: 'choice',
    values: ['gpu', 'host', 'nothing'],
    says: 'memory that a remark names as short, by a name of its own and not by OOM alone',
    needs: 'what people noted of the incident (remarks in its files)',
  },
  {
    id: 'log.told-cause',
    unit: 'choice',
    values: Cause.options.filter((cause) => /^(?:gpu|host)\./.test(cause)),
    says: 'cause that the notes tell as a whole: how it ended, which memory was full, and what it was at',
    needs: 'what people noted of the incident (remarks or figures in its files)',
  },
  {
    id: 'gpu.shown-cause',
    unit: 'choice',
    values: Cause.options.filter((cause) => cause.startsWith('gpu.')),
    says: 'cause that goes with what tools print of the cards and of a container that ended by itself, where no line decides',
    needs: 'describe.txt, metrics.txt or nvidia-smi.txt of the time of the failure',
  },
  {
    id: 'log.lever-cause',
    unit: 'choice',
    values: Cause.options.filter((cause) => /^(?:gpu|host)\./.test(cause)),
    says: 'cause that a setting points to with which it went well, by what people noted',
    needs: 'what people noted of the incident (remarks in its files)',
  },
  {
    id: 'log.lever-life',
    unit: 'choice',
    values: ['starting', 'serving'],
    says: 'time of life in which that setting made the difference, by what people noted or by when it acts',
    needs: 'what people noted of the incident (remarks in its files)',
  },
  {
    id: 'ram.limit-cured',
    unit: 'bytes',
    says: 'memory limit with which it went well afterwards, by what people noted',
    needs: STATUS,
  },
  {
    id: 'log.told-both',
    unit: 'yes-no',
    says: 'the notes tell in order that both memories were short, one attempt after the other',
    needs: 'what people noted of the incident (remarks or figures in its files)',
  },
  {
    id: 'log.remarked-lack',
    unit: 'yes-no',
    says: 'people noted a kill or a want of memory below the line that decides',
    needs: LOG,
  },
  {
    id: 'log.kills-told',
    unit: 'count',
    says: 'kills by the kernel for want of memory that people noted; known only where they did',
    needs: 'a remark, or figures beside the log',
  },
  {
    id: 'log.ran-out-told',
    unit: 'yes-no',
    says: 'people noted that memory ran out, or was all but full, in the end; known only where they did',
    needs: 'a remark, or words between the lines of the log',
  },
  {
    id: 'log.change-noted',
    unit: 'yes-no',
    says: 'people noted that an image, a version or a revision was changed before the failure; known only where they did',
    needs: 'a remark, or figures beside the log',
  },
  {
    id: 'log.machine-froze',
    unit: 'yes-no',
    says: 'people noted that the whole machine no longer answered',
    needs: LOG,
  },
  {
    id: 'log.stands-still',
    unit: 'yes-no',
    says: 'people noted that the engine neither worked on nor ended',
    needs: LOG,
  },
  {
    id: 'log.noted-gpu-cause',
    unit: 'choice',
    values: [...Cause.options.filter((cause) => cause.startsWith('gpu.')), 'nothing'],
    says: 'cause that people noted beside a failure of GPU memory, where the proof leaves it open',
    needs: 'what people noted of the incident (remarks in its files)',
  },
  {
    id: 'log.likely-gpu-cause',
    unit: 'choice',
    values: Cause.options.filter((cause) => cause.startsWith('gpu.')),
    says: 'cause that these words point to, if it was GPU memory',
    needs: LOG,
  },
  {
    id: 'log.likely-host-cause',
    unit: 'choice',
    values: Cause.options.filter((cause) => cause.startsWith('host.')),
    says: 'cause that these words point to, if it was RAM',
    needs: LOG,
  },
  {
    id: 'log.likely-none-cause',
    unit: 'choice',
    values: Cause.options.filter((cause) => cause.startsWith('none.')),
    says: 'cause that these words point to, if it was no memory',
    needs: LOG,
  },
];

import type { setStage } from '../test/whole/stage.ts';

export { setStage, startOn } from '../test/whole/stage.ts';
export type Stage = Awaited<ReturnType<typeof setStage>>;

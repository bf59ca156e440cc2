import { compareVersions } from '../../model/metric-table.ts';

// kaito-project/kaito presets/workspace/inference/vllm dependencies/requirements.txt (tags v0.4.0 to v0.12.0): release, and the
// vLLM that it brings.
const RELEASES: readonly (readonly [release: string, vllm: string])[] = [
  ['0.12', '0.25.1'],
  ['0.11', '0.22.1'],
  ['0.10', '0.17.1'],
  ['0.9', '0.14.1'],
  ['0.8', '0.12.0'],
  ['0.7', '0.10.1'],
  ['0.6.2', '0.9.0'],
  ['0.4.6', '0.8.5'],
  ['0.4.5', '0.8.2'],
  ['0.4.4 or older', '0.6.3'],
];

/** The release of KAITO by the vLLM that runs in it; undefined where that is not one that it brought. */
export function kaitoRelease(vllm: string | undefined): string | undefined {
  return RELEASES.find(([, own]) => vllm !== undefined && compareVersions(vllm, own, 3) === 0)?.[0];
}

import { readVersion } from '../../model/flag-table.ts';
import { compareVersions } from '../../model/metric-table.ts';

/** What a release of KAITO sets where nobody sets anything else. `fraction` undefined: it is computed from the card. */
export type KaitoRelease = {
  readonly name: string;
  /** The version of vLLM that it brings. */
  readonly vllm: string;
  readonly fraction: string;
  readonly length: string;
  /** KV blocks are kept in half of the node's free memory (LMCache). */
  readonly offloads: boolean;
};

const BY_CARD = '0.90 to 0.95 by the memory of the card';
const SEARCH = 'the longest length by a search at start';

// kaito-project/kaito pkg/model/interface.go, presets/workspace/inference/vllm/inference_api.py and dependencies/requirements.txt
// (tags v0.4.0 to v0.12.0).
const RELEASES: readonly KaitoRelease[] = [
  { name: '0.12', vllm: '0.25.1', fraction: '0.84, on A10 0.82', length: 'the length by vLLM (auto)', offloads: true },
  { name: '0.11', vllm: '0.22.1', fraction: '0.84', length: 'the length by vLLM (auto)', offloads: true },
  { name: '0.10', vllm: '0.17.1', fraction: '0.84', length: 'the longest length by a calculator', offloads: true },
  { name: '0.9', vllm: '0.14.1', fraction: '0.84', length: 'the longest length by a calculator', offloads: true },
  { name: '0.8', vllm: '0.12.0', fraction: '0.84', length: 'the longest length by a calculator', offloads: true },
  { name: '0.7', vllm: '0.10.1', fraction: '0.84', length: SEARCH, offloads: true },
  { name: '0.6.2', vllm: '0.9.0', fraction: BY_CARD, length: SEARCH, offloads: false },
  { name: '0.4.6', vllm: '0.8.5', fraction: BY_CARD, length: SEARCH, offloads: false },
  { name: '0.4.5', vllm: '0.8.2', fraction: BY_CARD, length: SEARCH, offloads: false },
  { name: '0.4.4 or older', vllm: '0.6.3', fraction: '0.95', length: SEARCH, offloads: false },
];

/** The release of KAITO by the vLLM that runs in it; undefined where that is not one that it brought. */
export function kaitoRelease(vllm: string | undefined): KaitoRelease | undefined {
  return RELEASES.find((release) => vllm !== undefined && compareVersions(vllm, release.vllm, 3) === 0);
}

/** Whether it keeps KV blocks in host memory unless told otherwise: from 0.7 on, and where its version is not known. */
export function offloadsByDefault(vllm: string | undefined): boolean {
  const release = readVersion('vllm', vllm);
  return release === undefined || FIRST_TO_OFFLOAD === undefined || compareVersions(release, FIRST_TO_OFFLOAD) >= 0;
}

const FIRST_TO_OFFLOAD = RELEASES.findLast(({ offloads }) => offloads)?.vllm;

import type { KeyLine } from './describe-lines.ts';

/**
 * Lines of `docker inspect`, `podman inspect`, `nerdctl inspect` and `crictl inspect` under the keys that `kubectl describe`
 * has for the same; every other line as it is (moby api/types/container; cri-api runtime/v1, ContainerStatus).
 */
export function asDescribed(at: KeyLine): KeyLine {
  const above = at.path.at(-1);
  // The probes that Docker runs have exit codes of their own.
  if (at.path.includes('health') || isNoFieldOfContainer(at)) return silent(at);
  if ((above === 'hostconfig' && at.key === 'memory') || at.key === 'memorylimitinbytes')
    return isBytes(at) ? { ...at, path: ['limits'], names: ['limits'], name: 'memory', key: 'memory' } : silent(at);
  if (above === 'state' && at.key === 'error') return at.value === '' ? silent(at) : { ...at, key: 'message' };
  return at;
}

// Docker has the digest of the image first and its name further below; `crictl` has an object and a state of its own words.
function isNoFieldOfContainer({ key, value }: KeyLine): boolean {
  if (key === 'image') return value === '{' || value.startsWith('sha256:');
  return key === 'state' && value.startsWith('CONTAINER_');
}

// 0 is no limit.
function isBytes({ value }: KeyLine): boolean {
  return /^[1-9]\d{0,18}$/.test(value);
}

function silent(at: KeyLine): KeyLine {
  return { ...at, name: undefined, key: '', value: '' };
}

import { describe, expect, it } from 'vitest';
import { environmentProxy } from '../../src/kubernetes/api/environment-proxy.ts';

const PROXY = 'http://proxy.example:3128';
const NAMED = 'https://api.prod.example:6443';
const ADDRESS = 'https://10.96.0.1';

describe('the proxy of the environment', () => {
  it.each<[string, string, Record<string, string>, string | undefined]>([
    ['https by HTTPS_PROXY', NAMED, { HTTPS_PROXY: PROXY }, PROXY],
    ['https by the lower-case name', NAMED, { https_proxy: PROXY }, PROXY],
    ['the upper-case name first', NAMED, { HTTPS_PROXY: PROXY, https_proxy: 'http://other:1' }, PROXY],
    ['http by HTTP_PROXY', 'http://api.example', { HTTP_PROXY: PROXY, HTTPS_PROXY: 'http://other:1' }, PROXY],
    ['https not by HTTP_PROXY', NAMED, { HTTP_PROXY: PROXY }, undefined],
    ['https not by ALL_PROXY, as kubectl', NAMED, { ALL_PROXY: PROXY }, undefined],
    ['one without a scheme', NAMED, { HTTPS_PROXY: 'proxy.example:3128' }, PROXY],
    ['an empty one', NAMED, { HTTPS_PROXY: '' }, undefined],
    ['localhost', 'https://localhost:6443', { HTTPS_PROXY: PROXY }, undefined],
    ['IPv4 loopback', 'https://127.0.0.2:6443', { HTTPS_PROXY: PROXY }, undefined],
    ['IPv6 loopback', 'https://[::1]:6443', { HTTPS_PROXY: PROXY }, undefined],
  ])('for %s', (_, server, environment, proxy) => {
    expect(environmentProxy(server, environment)).toBe(proxy);
  });

  it.each<[string, string, boolean]>([
    ['*', NAMED, true],
    ['api.prod.example', NAMED, true],
    ['other, API.prod.example', NAMED, true],
    ['prod.example', NAMED, true],
    ['.prod.example', NAMED, true],
    ['*.prod.example', NAMED, true],
    ['.api.prod.example', NAMED, false],
    ['rod.example', NAMED, false],
    ['api.prod.example:6443', NAMED, true],
    ['api.prod.example:443', NAMED, false],
    ['10.96.0.1', ADDRESS, true],
    ['10.96.0.1:443', ADDRESS, true],
    ['10.96.0.10', ADDRESS, false],
    ['10.96.0.0/12', ADDRESS, true],
    ['10.112.0.0/12', ADDRESS, false],
    ['10.0.0.0/99, 10.0.0.0/8', ADDRESS, true],
    ['10.96.0.0/12', NAMED, false],
    ['0.1', ADDRESS, false],
    ['fd00::/8', 'https://[fd00::1]:6443', true],
    ['[fd00::1]:6443', 'https://[fd00::1]:6443', true],
    ['fd00::2', 'https://[fd00::1]:6443', false],
    ['', NAMED, false],
  ])('NO_PROXY=%s for %s: direct is %s', (list, server, isDirect) => {
    const environment = { HTTPS_PROXY: PROXY, no_proxy: list };

    expect(environmentProxy(server, environment)).toBe(isDirect ? undefined : PROXY);
  });
});

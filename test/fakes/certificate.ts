import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export type Certificate = { readonly keyFile: string; readonly certFile: string };

/** A certificate for 127.0.0.1 that vouches for itself, and its key. */
export function makeCertificate(folder: string, name: string): Certificate {
  const [keyFile, certFile] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...key, '-out', certFile, ...subject], { stdio: 'ignore' });
  return { keyFile, certFile };
}

import { join } from 'node:path';
import { build } from 'esbuild';

/** A page of `page/` as one HTML text: scripts and styles inside, nothing to load from elsewhere. */
export async function bundlePage(entry: string, style = 'page.css'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry, style].map((file) => join(import.meta.dirname, 'page', file)),
    bundle: true,
    minify: true,
    write: false,
    outdir: 'out',
    platform: 'browser',
    jsx: 'automatic',
    loader: { '.svg': 'dataurl', '.png': 'dataurl', '.woff2': 'dataurl' },
  });
  const text = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  const script = text('.js').replaceAll('</script', '<\\/script');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,"><title>oombot</title><style>${text('.css')}</style></head><body><script type="module">${script}</script></body></html>`;
}

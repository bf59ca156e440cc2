const { lstatSync, mkdirSync } = process.getBuiltinModule('node:fs');

/**
 * Makes a folder where there is none; true where it belongs to this user and nobody else can write it.
 * @param {string} path
 */
export function isOwnFolder(path) {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const folder = lstatSync(path);
    return folder.isDirectory() && folder.uid === process.getuid?.() && (folder.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

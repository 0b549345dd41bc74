/** Saves a text as a file. */
export const download = (name: string, parts: readonly string[], type: string): void =>
  saveBlob(name, new Blob([...parts], { type }));

/** Saves bytes as a file. */
export function saveBlob(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has taken the address when the click is over, some a moment later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Copies a text. Browsers deny the clipboard to a page on plain HTTP, but let it copy its selection.
 *
 * @returns whether it worked
 */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = Object.assign(document.createElement('textarea'), { value: text, readOnly: true });
    const { activeElement } = document;
    // A dialog keeps the focus in itself.
    (activeElement?.closest('dialog, [role="dialog"], [role="alertdialog"]') ?? document.body).append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    (activeElement as HTMLElement | null)?.focus({ preventScroll: true });
    return done;
  }
}

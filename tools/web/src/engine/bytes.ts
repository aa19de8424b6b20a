/// What base64 text stands for.
export function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i); // `Uint8Array.from` with a function is far slower
  return bytes;
}

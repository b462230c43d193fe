/** Letters of other alphabets that look like a Latin letter, which normalization keeps apart. */
export const HOMOGLYPHS: ReadonlyMap<string, string> = new Map([
  // Cyrillic
  ...pairs("авсԁеһіјкӏмопрԛгѕтуԝхѵ", "abcdehijklmonpqrstywxv"),
  ...pairs("АВСЕНІЈКМОРЅТУХԜ", "ABCEHIJKMOPSTYXW"),
  // Greek
  ...pairs("αβεηικνορτυχγω", "abenikvoptuxyw"),
  ...pairs("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
  // Armenian, and letters of phonetics
  ...pairs("հոսցօıȷɑɡɩʋᴏᴠᴡᴢ", "hnugoijagivovwz"),
]);

function pairs(likes: string, letters: string): readonly (readonly [string, string])[] {
  return Array.from(likes, (like, index) => [like, letters.charAt(index)] as const);
}

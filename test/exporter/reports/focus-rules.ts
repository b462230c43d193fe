/** A row by its columns; an empty cell is null in FOCUS. */
export type Charge = Readonly<Record<string, string>>;

export function readCharges(csv: string): readonly Charge[] {
  const [head = [], ...rows] = csv.trimEnd().split("\r\n").map(cellsOf);
  return rows.map((cells) => Object.fromEntries(head.map((column, index) => [column, cells[index] ?? ""])));
}

function cellsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain,
  );
}

/**
 * The rules of FOCUS 1.2 that a row of usage breaks: those on numbers, and on what must not be null. It is what the
 * validator of the FinOps Foundation, which needs Python 3.12, says about such rows.
 */
export function brokenRules(charge: Charge): readonly string[] {
  const numberOf = (column: string) => (charge[column] === "" ? Number.NaN : Number(charge[column]));
  const isProduct = (product: string, one: string, other: string) => {
    const [wanted, made] = [numberOf(product), numberOf(one) * numberOf(other)];
    return Math.abs(wanted - made) <= 1e-9 * Math.max(1, Math.abs(wanted));
  };
  const rules: readonly (readonly [rule: string, holds: boolean])[] = [
    ...NUMBERS.map((column) => [`${column} is a number`, NUMBER.test(charge[column] ?? "")] as const),
    ...TEXTS.map((column) => [`${column} is not null`, charge[column] !== ""] as const),
    ...TIMES.map((column) => [`${column} is a time in UTC`, TIME.test(charge[column] ?? "")] as const),
    [
      "ListCost is ListUnitPrice × PricingQuantity",
      isProduct("ListCost", "ListUnitPrice", "PricingQuantity"),
    ],
    [
      "ContractedCost is ContractedUnitPrice × PricingQuantity",
      isProduct("ContractedCost", "ContractedUnitPrice", "PricingQuantity"),
    ],
    [
      "PricingCurrencyEffectiveCost is PricingCurrencyListUnitPrice × PricingQuantity",
      isProduct("PricingCurrencyEffectiveCost", "PricingCurrencyListUnitPrice", "PricingQuantity"),
    ],
    ["prices are not negative", numberOf("ListUnitPrice") >= 0 && numberOf("ContractedUnitPrice") >= 0],
    ["BillingCurrency is of ISO 4217", /^[A-Z]{3}$/.test(charge["BillingCurrency"] ?? "")],
    ["the charge is in the billing period", isOrdered(charge)],
    ["a resource has a type", (charge["ResourceId"] === "") === (charge["ResourceType"] === "")],
    ["a sub account has a type", (charge["SubAccountId"] === "") === (charge["SubAccountType"] === "")],
    ["a sub account is not the account", charge["SubAccountId"] !== charge["BillingAccountId"]],
  ];
  return rules.flatMap(([rule, holds]) => (holds ? [] : [rule]));
}

function isOrdered(charge: Charge): boolean {
  const times = ["BillingPeriodStart", "ChargePeriodStart", "ChargePeriodEnd", "BillingPeriodEnd"].map(
    (column) => Date.parse(charge[column] ?? ""),
  );
  return times.every((time, index) => index === 0 || (times[index - 1] ?? Number.NaN) <= time);
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const NUMBERS = [
  "BilledCost",
  "ConsumedQuantity",
  "ContractedCost",
  "ContractedUnitPrice",
  "EffectiveCost",
  "ListCost",
  "ListUnitPrice",
  "PricingQuantity",
];
const TIMES = ["BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd"];
const TEXTS = [
  "BillingAccountId",
  "ChargeCategory",
  "ChargeDescription",
  "ChargeFrequency",
  "ConsumedUnit",
  "InvoiceIssuerName",
  "PricingCategory",
  "PricingUnit",
  "ProviderName",
  "PublisherName",
  "ServiceCategory",
  "ServiceName",
  "ServiceSubcategory",
  "SkuId",
  "SkuPriceId",
];

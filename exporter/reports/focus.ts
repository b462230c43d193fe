import { utcText } from "../time/utc-time.ts";
import type { ReportAmounts } from "./amounts.ts";
import { csvLine } from "./csv.ts";
import { OWNER_LABELS } from "./owned-spend.ts";
import type { SpendReport } from "./report.ts";

/**
 * The report as rows of FOCUS 1.2 (FinOps Open Cost and Usage Specification), one for each line and one for
 * the rest. Credits are the pricing currency, a virtual one; costs are in the currency of `credit_value`.
 * Columns that begin with `x_` are ours. `provider`: the name of the gateway.
 */
export function focusReport(report: SpendReport, provider: string): string {
  const rows = [
    ...report.lines.map(({ name, ...amounts }) => rowOf(name, amounts, report, provider)),
    ...(report.rest ? [rowOf(undefined, report.rest, report, provider)] : []),
  ];
  return [csvLine(COLUMNS), ...rows.map((row) => csvLine(COLUMNS.map((column) => row[column])))].join("");
}

type Row = Readonly<Partial<Record<(typeof COLUMNS)[number], string | number>>>;

const COLUMNS = [
  "BilledCost",
  "BillingAccountId",
  "BillingAccountName",
  "BillingAccountType",
  "BillingCurrency",
  "BillingPeriodEnd",
  "BillingPeriodStart",
  "ChargeCategory",
  "ChargeClass",
  "ChargeDescription",
  "ChargeFrequency",
  "ChargePeriodEnd",
  "ChargePeriodStart",
  "ConsumedQuantity",
  "ConsumedUnit",
  "ContractedCost",
  "ContractedUnitPrice",
  "EffectiveCost",
  "InvoiceId",
  "InvoiceIssuerName",
  "ListCost",
  "ListUnitPrice",
  "PricingCategory",
  "PricingCurrency",
  "PricingCurrencyContractedUnitPrice",
  "PricingCurrencyEffectiveCost",
  "PricingCurrencyListUnitPrice",
  "PricingQuantity",
  "PricingUnit",
  "ProviderName",
  "PublisherName",
  "RegionId",
  "RegionName",
  "ResourceId",
  "ResourceName",
  "ResourceType",
  "ServiceCategory",
  "ServiceName",
  "ServiceSubcategory",
  "SkuId",
  "SkuPriceId",
  "SubAccountId",
  "SubAccountName",
  "SubAccountType",
  "Tags",
  "x_ByokCredits",
  "x_Tokens",
] as const;

/** `name`: undefined for what belongs to no line. */
function rowOf(name: string | undefined, amounts: ReportAmounts, report: SpendReport, provider: string): Row {
  const { by, period, currency = "" } = report;
  const { credits, byokCredits, requests, tokens, cost } = amounts;
  const what = by.replace("_", " ");
  const [start, end] = [utcText(period.window.startMs), utcText(period.window.endMs)];
  const isOwner = OWNER_LABELS.some((label) => label === by);
  return {
    ...present("BilledCost", cost),
    BillingAccountId: provider,
    BillingAccountName: provider,
    BillingAccountType: "Account",
    BillingCurrency: currency,
    BillingPeriodStart: start,
    BillingPeriodEnd: end,
    ChargeCategory: "Usage",
    ChargeDescription: name === undefined ? `Credits without a ${what}` : `Credits of ${what} "${name}"`,
    ChargeFrequency: "Usage-Based",
    ChargePeriodStart: start,
    ChargePeriodEnd: end,
    ...present("ConsumedQuantity", requests),
    ConsumedUnit: "Requests",
    ...present("ContractedCost", cost),
    ...present("EffectiveCost", cost),
    InvoiceIssuerName: provider,
    ...present("ListCost", cost),
    PricingCategory: "Standard",
    PricingCurrency: "Credits",
    PricingCurrencyContractedUnitPrice: 1,
    ...present("PricingCurrencyEffectiveCost", credits),
    PricingCurrencyListUnitPrice: 1,
    ...present("PricingQuantity", credits),
    PricingUnit: "Credits",
    ProviderName: provider,
    PublisherName: provider,
    ServiceCategory: "AI and Machine Learning",
    ServiceName: "AI gateway",
    ServiceSubcategory: "Generative AI",
    ...(name !== undefined &&
      name !== "" &&
      (isOwner
        ? { SubAccountId: name, SubAccountName: name, SubAccountType: what }
        : { ResourceId: name, ResourceName: name, ResourceType: what })),
    Tags: JSON.stringify(name === undefined || name === "" ? {} : { [by]: name }),
    ...present("x_ByokCredits", byokCredits),
    ...present("x_Tokens", tokens),
  };
}

function present(column: (typeof COLUMNS)[number], value: number | undefined): Row {
  return value === undefined ? {} : { [column]: value };
}
